/** The flood of mutated requests. */
import { excerpt, openCourt, type Verdicts } from './judge.ts';
import { type HostileRequest, requestMaker } from './request.ts';
import type { MarkedFirm } from './stage.ts';
import { openClient, type RawAnswer } from './wire.ts';

const clients = 16;
const maxBroken = 200;
const maxIds = 200;

/** Sends this many mutated requests as `mine`, and judges every answer. */
export const floodWithMutations = async (
  url: string,
  { from, requests, seed }: { from: number; requests: number; seed: number },
  mine: MarkedFirm,
  theirs: MarkedFirm,
): Promise<Verdicts> => {
  const { host } = new URL(url);
  const make = requestMaker(seed, host, mine, theirs);
  const { verdicts, judge } = openCourt(theirs.marker);
  let next = from;
  const underWay = new Set<Promise<void>>();
  /** What is broken may be left without an answer: nobody waits for it. */
  const sendBroken = async (request: HostileRequest) => {
    judge(request, await openClient(url).exchange(request.bytes, request.method, true));
  };
  const client = async () => {
    const { exchange, close } = openClient(url);
    let before = '';
    while (next < from + requests) {
      const request = make(next);
      next += 1;
      if (request.isBroken) {
        if (underWay.size >= maxBroken) await Promise.race(underWay);
        const sent = sendBroken(request).finally(() => underWay.delete(sent));
        underWay.add(sent);
        continue;
      }
      let exchanged = await exchange(request.bytes, request.method, false);
      if (exchanged.answers.length === 0 && !request.mayBeHungUpOn) {
        // The connection may have been closed in the moment it was used again: one more, on a new one.
        verdicts.again.push(`${inWords(request)}: ${exchanged.end}\n  after ${before}`);
        exchanged = await exchange(request.bytes, request.method, false);
      }
      before = `${inWords(request)}: ${exchanged.answers.map(({ head }) => head).join(' | ')}`;
      judge(request, exchanged);
      for (const answer of exchanged.answers) keepId(request, answer, mine);
      if (verdicts.requests % 10_000 === 0) console.log(`        ${verdicts.requests} sent`);
    }
    close();
  };
  await Promise.all(Array.from({ length: clients }, client));
  await Promise.all(underWay);
  return verdicts;
};

const inWords = (request: HostileRequest) =>
  `request ${request.index} (${request.changes.join(', ')})\n  ${excerpt(request)}\n `;

/** What was created is what later requests name. */
const keepId = ({ operation }: HostileRequest, { status, body }: RawAnswer, mine: MarkedFirm) => {
  if (status !== 201 || !operation) return;
  const id = /"id":"([0-9a-f-]{36})"/.exec(body.toString())?.[1];
  const ids = mine.ids[operation.kind];
  if (!id || !ids) return;
  ids.push(id);
  if (ids.length > maxIds) ids.shift();
};
