/** The thread in which those wait for events whom `events.ts` measures. */
declare const self: Worker;

export type ToFollow = { address: string; keys: string[]; waiters: number; count: number };

/** When each waiter heard of which lead, in milliseconds as `now` counts them. Empty: all wait. */
export type Followed = { id: string; at: number }[];

/** Milliseconds that all threads count alike. */
export const now = () => performance.timeOrigin + performance.now();

const read = async ({ address }: ToFollow, key: string, path: string) => {
  const answer = await fetch(`${address}/v1/${path}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
};

/** Reads events from now on until so many leads were made. */
const follow = async (order: ToFollow, key: string, cursor: string): Promise<Followed> => {
  const heard: Followed = [];
  for (let at = cursor; heard.length < order.count; ) {
    const part = await read(order, key, `events?after=${at}&wait=25&types=lead.created`);
    for (const { data } of part.data) heard.push({ id: data.id, at: now() });
    at = part.cursor;
  }
  return heard;
};

if (!Bun.isMainThread) {
  self.onmessage = async ({ data }: MessageEvent<ToFollow>) => {
    const all = Array.from({ length: data.waiters }, (_, at) => data.keys[at % 4] ?? '');
    const begun = await Promise.all(
      all.map(async (key) => ({ key, cursor: (await read(data, key, 'events')).cursor })),
    );
    const following = Promise.all(begun.map(({ key, cursor }) => follow(data, key, cursor)));
    await Bun.sleep(1_000);
    self.postMessage([]);
    self.postMessage((await following).flat());
  };
}
