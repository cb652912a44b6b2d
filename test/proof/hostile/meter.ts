/**
 * A thread that measures from outside, undisturbed by the attack: honest requests at a steady pace,
 * or pings whose longest wait shows how long the server's event loop was blocked.
 */
export type Ask =
  | { kind: 'honest'; url: string; key: string; marker: string; foreignMarker: string }
  | { kind: 'pings'; url: string }
  | { kind: 'take' };

/** Since the last time it was taken. Milliseconds. */
export type Taken = {
  requests: number;
  p50: number;
  p99: number;
  longest: number;
  /** How many were sent again because the connection was closed when it was used again. */
  again: number;
  /** What was wrong with an answer, one line each. */
  broken: string[];
  /** Leads that were acknowledged, by id with the name sent. */
  created: [id: string, lastName: string][];
};

declare const self: Worker;

let waits: number[] = [];
let again = 0;
let broken: string[] = [];
let created: Taken['created'] = [];

self.onmessage = ({ data }: MessageEvent<Ask>) => {
  if (data.kind === 'honest') startHonest(data);
  else if (data.kind === 'pings') startPings(data.url);
  else self.postMessage(take());
};

const take = (): Taken => {
  const sorted = waits.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  const taken = { requests: sorted.length, p50: at(0.5), p99: at(0.99), longest: at(1) };
  const all = { ...taken, again, broken, created };
  waits = [];
  again = 0;
  broken = [];
  created = [];
  return all;
};

const everyMilliseconds = 20;

/** Fifty requests a second, begun on time whether or not those before are answered. */
const startHonest = ({ url, key, marker, foreignMarker }: Extract<Ask, { kind: 'honest' }>) => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  let count = 0;
  let last = '';
  const ask = async (number: number) => {
    const lastName = `Honest ${marker} ${number}`;
    const isCreate = number % 5 === 0;
    const path = isCreate || number % 5 === 1 || !last ? '/v1/leads' : `/v1/leads/${last}`;
    const body = isCreate ? { method: 'POST', body: JSON.stringify({ lastName }) } : {};
    const key = isCreate ? { 'idempotency-key': Bun.randomUUIDv7() } : undefined;
    const send = () => fetch(url + path, { headers: { ...headers, ...key }, ...body });
    const since = performance.now();
    const answer = await send().catch(() => {
      again += 1;
      return send();
    });
    const text = await answer.text();
    waits.push(performance.now() - since);
    if (answer.status !== (isCreate ? 201 : 200)) broken.push(`${answer.status} ${text}`);
    else if (isCreate) created.push([(last = JSON.parse(text).data.id), lastName]);
    if (text.includes(foreignMarker)) broken.push(`shows the other firm's data: ${text}`);
  };
  const began = performance.now();
  setInterval(() => {
    while (performance.now() - began > count * everyMilliseconds) {
      count += 1;
      ask(count).catch((error) => broken.push(String(error)));
    }
  }, 5);
};

/** One ping after the other, five milliseconds apart. */
const startPings = async (url: string) => {
  for (;;) {
    const since = performance.now();
    const isWell = await fetch(`${url}/healthz`).then(
      async (answer) => (await answer.text()) !== '' && answer.ok,
      () => false,
    );
    waits.push(performance.now() - since);
    if (!isWell) broken.push('a ping was not answered');
    await Bun.sleep(5);
  }
};
