import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { tryMilliseconds } from '../../../src/webhooks/post.ts';
import { maxAtOnce } from '../../../src/webhooks/sender.ts';
import { atEnd } from '../../support/at-end.ts';
import { ownDatabase } from '../../support/database.ts';
import { makeFirm } from '../../support/firm.ts';
import { startInstance } from '../../support/instances.ts';
import { believedFile, receiversAt, startReceiver } from '../../support/receiver.ts';

const environment = { ...receiversAt, NODE_EXTRA_CA_CERTS: believedFile() };
const firmCount = 50;
/** Of each firm's twenty endpoints. */
const hangingCount = 2;
const goodCount = 18;

/** Something at an address that accepts connections and says nothing, ever. */
const startSilence = () => {
  let [open, most] = [0, 0];
  const listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open() {
        open += 1;
        most = Math.max(most, open);
      },
      close() {
        open -= 1;
      },
      data() {},
    },
  });
  atEnd(() => listener.stop(true));
  return { url: `https://127.0.0.1:${listener.port}/`, most: () => most };
};

const mebibytesOf = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;

const filesOf = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;

test('1,000 endpoints of 50 firms, of which 100 accept and never answer: the other 900 get theirs before one of those is given up, in bounded memory and connections', async () => {
  const databaseUrl = await ownDatabase();
  const { url, pid } = await startInstance(databaseUrl, { environment });
  const silence = startSilence();
  const receiver = startReceiver();
  const made = Array.from({ length: firmCount }, () => makeFirm({ url, databaseUrl }));
  const owners = (await Promise.all(made)).map(({ owner }) => owner);
  /** Makes so many endpoints for each firm. */
  const listen = async (count: number, urlOf: (name: string) => string) => {
    for (const [n, owner] of owners.entries()) {
      const urls = Array.from({ length: count }, (_, at) => urlOf(`${n}-${at}`));
      const types = ['lead.created'];
      const asked = urls.map((url) => owner.post('/v1/webhook-endpoints', { url, types }));
      expect((await Promise.all(asked)).every(({ status }) => status === 201)).toBe(true);
    }
  };
  const good = firmCount * goodCount;
  /** For how long all wait that listen, in ms, when each firm has stored its nth lead. */
  const tell = async (nth: number) => {
    const began = performance.now();
    const writes = owners.map((owner) => owner.post('/v1/leads', { lastName: 'Roe' }));
    expect((await Promise.all(writes)).every(({ status }) => status === 201)).toBe(true);
    await receiver.until(nth * good);
    return performance.now() - began;
  };
  await listen(goodCount, (name) => `${receiver.url}?of=${name}`);
  const alone = await tell(1);
  await listen(hangingCount, () => silence.url);
  const before = { mebibytes: mebibytesOf(pid), files: filesOf(pid) };
  let [mebibytes, files] = [0, 0];
  const watching = setInterval(() => {
    mebibytes = Math.max(mebibytes, mebibytesOf(pid));
    files = Math.max(files, filesOf(pid));
  });
  try {
    // A machine with much else to do is slow without those that hang, too.
    const longest = Math.max(tryMilliseconds, 4 * alone);
    expect(await tell(2)).toBeLessThan(longest);
    // Now it is known of those that hang that they fail.
    expect(await tell(3)).toBeLessThan(longest);
  } finally {
    clearInterval(watching);
  }
  expect(receiver.arrived).toHaveLength(3 * good);
  expect(new Set(receiver.arrived.map(({ id }) => id)).size).toBe(3 * firmCount);
  // Each of them is tried once at a time: beside the next try, the end of the one given up may still
  // be on its way.
  expect(silence.most()).toBeLessThanOrEqual(2 * firmCount * hangingCount);
  expect(files - before.files).toBeLessThan(maxAtOnce.all * 2);
  expect(mebibytes - before.mebibytes).toBeLessThan(256);
});
