/** What every answer to a hostile request must be, whatever was sent. */
import { expectDescribed } from '../../support/described.ts';
import type { HostileRequest } from './request.ts';
import type { Exchange, RawAnswer } from './wire.ts';

/** What was counted, and every broken promise in a line. */
export type Verdicts = {
  requests: number;
  answers: number;
  statuses: Map<number, number>;
  /** Those hung up on without an answer. */
  hungUp: number;
  /** How those ended that were answered only the second time, and what came before on the connection. */
  again: string[];
  /** Answers of 5xx but for 503. */
  serverErrors: number;
  /** Answers of 503. */
  toComeAgain: number;
  foreignMarkers: number;
  misshapen: number;
  unanswered: number;
  broken: string[];
};

const maxBrokenKept = 20;

/** Judges answers to requests of a firm that must never see `foreignMarker`. */
export const openCourt = (foreignMarker: string) => {
  const verdicts: Verdicts = {
    requests: 0,
    answers: 0,
    hungUp: 0,
    serverErrors: 0,
    toComeAgain: 0,
    foreignMarkers: 0,
    misshapen: 0,
    unanswered: 0,
    statuses: new Map(),
    again: [],
    broken: [],
  };
  type Offence = 'serverErrors' | 'foreignMarkers' | 'misshapen' | 'unanswered';
  const accuse = (offence: Offence, request: HostileRequest, what: string) => {
    verdicts[offence] += 1;
    if (verdicts.broken.length >= maxBrokenKept) return;
    verdicts.broken.push(
      `request ${request.index} (${request.changes.join(', ')}): ${what}\n  ${excerpt(request)}`,
    );
  };

  const judgeAnswer = (request: HostileRequest, answer: RawAnswer) => {
    const { status, head, body } = answer;
    verdicts.answers += 1;
    verdicts.statuses.set(status, (verdicts.statuses.get(status) ?? 0) + 1);
    if (status === 503) verdicts.toComeAgain += 1;
    // With 505 Bun refuses a first line that is none.
    else if (!(status < 500) && !isOfTheParser(request, answer))
      accuse('serverErrors', request, `answered ${status} ${body}`);
    if (head.includes(foreignMarker) || body.includes(foreignMarker))
      accuse('foreignMarkers', request, `shows the other firm's data: ${head} ${body}`);
    const wrong = shapeFault(request, answer);
    if (wrong) accuse('misshapen', request, wrong.slice(0, 800));
  };

  const judge = (request: HostileRequest, { answers, end }: Exchange) => {
    verdicts.requests += 1;
    for (const answer of answers) judgeAnswer(request, answer);
    if (answers.length > 0) return;
    if (request.mayBeHungUpOn) verdicts.hungUp += 1;
    else accuse('unanswered', request, `no answer: ${end}`);
  };
  return { verdicts, judge };
};

/** Statuses with which Bun refuses what is no HTTP, before anything of ours sees it. */
const ofTheParser = new Set([400, 413, 414, 431, 505]);

const isOfTheParser = ({ mayBeHungUpOn }: HostileRequest, { status, body }: RawAnswer) =>
  mayBeHungUpOn && body.length === 0 && ofTheParser.has(status);

const shapeFault = (request: HostileRequest, answer: RawAnswer) => {
  const { status, head, body } = answer;
  if (request.method === 'HEAD' || status === 304) return undefined;
  if (isOfTheParser(request, answer)) return undefined;
  if (!/^content-type: *application\/json/im.test(head)) {
    return request.isOutsideApi ? undefined : `is no JSON: ${head} ${body}`;
  }
  const text = body.toString();
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(text);
  } catch {
    return `is broken JSON: ${text}`;
  }
  if (status >= 400) return errorFault(value, text);
  if (!request.operation) return undefined;
  try {
    const headers = new Headers({ 'content-type': 'application/json' });
    const { path, method } = request.operation;
    const answer = { status, headers } as Response;
    expectDescribed(`http://localhost${path.replace('{id}', 'x')}`, method, answer, text);
  } catch (error) {
    return String(error);
  }
  return undefined;
};

const errorFault = (value: Record<string, unknown>, text: string) => {
  const error = value.error as Record<string, unknown> | undefined;
  const isEnvelope =
    Object.keys(value).join() === 'error' &&
    Object.keys(error ?? {}).join() === 'code,message' &&
    typeof error?.code === 'string' &&
    typeof error.message === 'string';
  return isEnvelope ? undefined : `is not { error: { code, message } }: ${text}`;
};

/** The beginning of a request in printable characters. */
export const excerpt = ({ bytes }: HostileRequest) =>
  JSON.stringify(Buffer.from(bytes).toString('latin1').slice(0, 700)).replace(
    /mh_[0-9A-Za-z]{36}/g,
    'mh_***',
  );
