/** Bodies that are expensive to read, alone and many at once. */
import { randomBytes } from 'node:crypto';
import { measureBlocks } from './blocks.ts';
import { milliseconds } from './report.ts';
import { promiseMemory, type Scene, statePace } from './scene.ts';
import type { MarkedFirm } from './stage.ts';

const mebibyte = 1024 * 1024;
const maxBlockedMilliseconds = 50;

/** Bodies that are expensive to read, one at a time. */
export const dearBodies = async (scene: Scene) => {
  const { url, report, attacker, pace, isSmall, seen, note } = scene;
  note(await pace.take());
  seen.takePeak();
  const times = isSmall ? 3 : 5;
  for (const path of ['/v1/leads', '/v1/contacts', '/v1/matters']) {
    const of = { path, bytes: mebibyte - 1, times };
    const [worst, ...rest] = await measureBlocks(url, of, attacker, scene);
    if (!worst) continue;
    const attack = `1 MiB on ${path}`;
    const promise = `the event loop stands still at most ${maxBlockedMilliseconds} ms (median of ${times})`;
    const figures = `${milliseconds(worst.median)} (${worst.name})`;
    report.promiseTime(isSmall, attack, promise, figures, worst.median <= maxBlockedMilliseconds);
    const all = [worst, ...rest];
    report.detail(all.slice(0, 6).map((one) => `${attack}: ${JSON.stringify(one)}`));
    const isRefused = all.every(({ status }) => /^[24]\d\d$/.test(status));
    report.promise(attack, 'each is answered, none 5xx', all.length, isRefused);
  }
  statePace(scene, 'bodies of 1 MiB', await pace.take());
  const of = { path: '/v1/matters', bytes: 16 * mebibyte - 1, times: isSmall ? 1 : 3 };
  const large = await measureBlocks(url, of, attacker, scene);
  const [worst] = large;
  report.detail(large.slice(0, 6).map((one) => `16 MiB: ${JSON.stringify(one)}`));
  report.state(
    '16 MiB on /v1/matters',
    'the event loop stands still (median)',
    `${milliseconds(worst?.median ?? 0)} (${worst?.name})`,
  );
  statePace(scene, 'bodies of 16 MiB', await pace.take());
  await promiseMemory(scene, 'bodies of 1 and 16 MiB');
};

/** Many of the largest bodies at once, with wrong keys and a good one; the last are stored. */
export const hugeBodies = async (scene: Scene) => {
  const { url, report, attacker, pace, seen, note, isSmall } = scene;
  const refused = `{"title":"${'a'.repeat(16 * mebibyte - 100)}"}`;
  const least = { practiceAreaId: await newPracticeArea(url, attacker), openDate: '2026-02-03' };
  const description = randomBytes(12 * mebibyte - 1_000).toString('base64');
  const stored = JSON.stringify({ ...least, description });
  for (const [what, key, count, body] of [
    ['wrong keys', attacker.revokedKey, 100, refused],
    ['a good key', attacker.key, 40, refused],
    ['to be stored', attacker.key, isSmall ? 5 : 20, stored],
  ] as const) {
    note(await pace.take());
    seen.takePeak();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const send = async () => {
      const answer = await fetch(`${url}/v1/matters`, { method: 'POST', headers, body });
      await answer.arrayBuffer();
      return answer.status;
    };
    const answers = await Promise.all(
      Array.from({ length: count }, () => send().catch(() => 'hung up')),
    );
    const attack = `${count} bodies of 16 MiB at once, ${what}`;
    report.state(attack, 'answered', counted(answers));
    const failed = answers.filter((one) => Number(one) >= 500).length;
    report.promiseTime(isSmall, attack, 'answers of 5xx', failed, failed === 0);
    statePace(scene, attack, await pace.take());
    await promiseMemory(scene, attack);
  }
};

/** Those that were there may have been deleted by mutated requests. */
const newPracticeArea = async (url: string, { key, marker }: MarkedFirm) => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ name: `Large ${marker}`, stages: [{ name: `Intake ${marker}` }] });
  const answer = await fetch(`${url}/v1/practice-areas`, { method: 'POST', headers, body });
  const { data } = (await answer.json()) as { data: { id: string } };
  return data.id;
};

const counted = (all: unknown[]) =>
  [...new Set(all)]
    .map((one) => `${one}: ${all.filter((other) => other === one).length}`)
    .join(', ');
