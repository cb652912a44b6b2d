/** Firms for tests: a blueprint for the firm, a key for its caller, HTTP for the rest. */
import { afterAll } from 'bun:test';
import { createKey } from '../../src/api-keys/api-key.ts';
import { newId } from '../../src/base/columns.ts';
import { makeFirm as storeFirm } from '../../src/blueprint/apply.ts';
import { readBlueprint } from '../../src/blueprint/blueprint.ts';
import { describeFirm } from '../../src/commands/describe-firm.ts';
import { findMember } from '../../src/commands/find.ts';
import { readSettings } from '../../src/config.ts';
import { scopes as everyScope, type Scope } from '../../src/contents.ts';
import type { Server } from '../../src/doors.ts';
import { type Actor, administrator } from '../../src/record/actor.ts';
import { write } from '../../src/record/write.ts';
import { startServer } from '../../src/server.ts';
import { onDatabase, sharedDatabase } from './database.ts';
import { expectDescribed } from './described.ts';
import { keptPorts } from './kept.ts';
import { environmentOf } from './roles.ts';
import { runJson } from './terminal.ts';

/** What `firm apply --json` prints (docs/contract.md, Blueprint). */
export type Standing = {
  firm: { id: string; name: string };
  members: Record<string, string>;
  leadStages: Record<string, string>;
  practiceAreas: Record<
    string,
    { id: string; stages: Record<string, string>; matterTypes: Record<string, string> }
  >;
  customFields: Record<'contact' | 'matter' | 'lead', Record<string, string>>;
};

export const owner = 'ada@harrow.example';
export const attorney = 'ben@harrow.example';
export const bookkeeper = 'cy@harrow.example';

/** A whole firm: an owner, an attorney who may see leads, a bookkeeper who may not. */
export const usualBlueprint = {
  roles: [
    {
      name: 'Attorney',
      permissions: [
        ...['contacts:read', 'contacts:write', 'leads:read', 'leads:write'],
        ...['practice-areas:read', 'matters:read', 'matters:write', 'custom-fields:read'],
      ],
    },
    { name: 'Bookkeeper', permissions: ['contacts:read'] },
  ],
  members: [
    { email: owner, name: 'Ada Harrow', role: 'Owner' },
    { email: attorney, name: 'Ben Lane', role: 'Attorney' },
    { email: bookkeeper, name: 'Cy Moss', role: 'Bookkeeper' },
  ],
  numbering: { lead: 'L-{####}', matter: 'M-{YYYY}-{####}' },
  leadStages: ['New', 'Contacted'],
  practiceAreas: [
    { name: 'Family', stages: ['Intake', 'Filed'], matterTypes: ['Divorce'] },
    { name: 'Estates', stages: ['Intake'] },
  ],
  customFields: [] as object[],
};

/** One answer: its status, headers and body as JSON. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
export type Answer = { status: number; headers: Headers; body: any };

/** Calls the API with one key. */
export type Caller = {
  key: string;
  keyId: string;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  patch(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  delete(path: string, headers?: Record<string, string>): Promise<Answer>;
};

export type TestServer = { url: string; databaseUrl: string; stop(): Promise<void> };
type ServerOptions = { databaseUrl?: string; environment?: Record<string, string> };

let shared: Promise<TestServer> | undefined;

const startShared = async () => {
  const server = await startOne({});
  keptPorts.add(Number(new URL(server.url).port));
  return server;
};

/**
 * A server on the shared database. Without options it is the one that all files of this process
 * share, whose connections know every statement already. With options it is the file's own, and is
 * stopped at the end of it.
 */
export const startTestServer = async (options?: ServerOptions): Promise<TestServer> => {
  if (!options) return { ...(await (shared ??= startShared())), stop: refuse };
  const server = await startOne(options);
  afterAll(server.stop);
  return server;
};

const refuse = () => {
  throw new Error('Other files use this server. Give options, if only {}, for one of your own.');
};

const startOne = async ({ databaseUrl, environment }: ServerOptions): Promise<TestServer> => {
  const address = databaseUrl ?? (await sharedDatabase());
  const settings = readSettings({
    RATE_LIMIT: 'off',
    DATABASE_CONNECTIONS: '5',
    DRAIN_SECONDS: '0',
    ...environment,
    ...environmentOf(address),
  });
  const server: Server = startServer(settings.database ?? '', settings, {
    host: '127.0.0.1',
    port: 0,
  });
  let isStopped = false;
  const stop = async () => {
    if (!isStopped) await server.stop();
    isStopped = true;
  };
  return { url: server.url, databaseUrl: address, stop };
};

/**
 * A firm of its own, from the usual blueprint with parts replaced, and a way to make callers. It
 * calls the verbs of `firm apply` and `key create` directly, which costs a fraction of a command.
 */
export const makeFirm = async (
  server: { url: string; databaseUrl: string },
  parts: Record<string, unknown> = {},
) => {
  // Without digits: tests look for numbers on pages that have the firm's name.
  const letters = Bun.randomUUIDv7().replaceAll(/\d/g, (digit) =>
    'ghijklmnop'.charAt(Number(digit)),
  );
  const name = `Firm ${letters}`;
  const blueprint = readBlueprint(JSON.stringify({ name, ...usualBlueprint, ...parts }));
  const firmId = newId();
  const asAdministrator = <Value>(work: (actor: Actor) => Promise<Value>) =>
    onDatabase(server.databaseUrl, (database) => work(administrator(database, firmId)));
  const standing = await asAdministrator(async (actor) => {
    await write(actor, (w) => storeFirm(w, blueprint));
    return (await describeFirm(actor, { id: firmId, name: blueprint.name })) as Standing;
  });
  /** Runs a command about this firm. */
  const command = <Document>(words: string[]) =>
    runJson<Document>(server.databaseUrl, [...words, '--firm', firmId]);
  /** Brings it up to the usual blueprint with other parts replaced. */
  const reapply = (other: Record<string, unknown>) =>
    runJson<Standing>(
      server.databaseUrl,
      ['firm', 'apply', '-'],
      JSON.stringify({ name, ...usualBlueprint, ...other }),
    );
  /** A caller with a new key, or with one that `key create` makes with more words. */
  const callerOf = async (
    email: string,
    scopes: readonly string[] = everyScope,
    more: string[] = [],
  ): Promise<Caller> => {
    if (more.length > 0) {
      const words = ['key', 'create', '--member', email, '--scope', ...scopes, ...more];
      const { id, key } = await command<{ id: string; key: string }>(words);
      return caller(server.url, key, id);
    }
    const { id, key } = await asAdministrator(async (actor) => {
      const { id: memberId } = await findMember(actor, email);
      const expiresAt = new Date(Date.now() + 365 * 24 * 3_600_000);
      return createKey(actor, { memberId, scopes: scopes as Scope[], name: 'API key', expiresAt });
    });
    return caller(server.url, key, id);
  };
  return { ...standing, id: firmId, command, reapply, callerOf, owner: await callerOf(owner) };
};

/** A firm as `makeFirm` gives it. */
export type Firm = Awaited<ReturnType<typeof makeFirm>>;

/** Calls with a key, or without one if it is empty. */
export const caller = (url: string, key: string, keyId = ''): Caller => {
  const call =
    (method: string) =>
    (path: string, body?: unknown, headers: Record<string, string> = {}) =>
      send(url + path, {
        method,
        headers: {
          ...(key ? { authorization: `Bearer ${key}` } : {}),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined
          ? {}
          : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
  return {
    key,
    keyId,
    get: (path, headers) => call('GET')(path, undefined, headers),
    post: call('POST'),
    patch: call('PATCH'),
    delete: (path, headers) => call('DELETE')(path, undefined, headers),
  };
};

/**
 * A caller that does what the answers 429 and 503 ask for: it comes again after `Retry-After`, with
 * the same Idempotency-Key. For large bodies and for many writes at once: on a busy machine the last of
 * them may wait for a connection longer than a server lets them.
 */
export const comingAgain = (calls: Caller): Caller => {
  const again = async (call: () => Promise<Answer>): Promise<Answer> => {
    for (let left = 10; ; left -= 1) {
      const answer = await call();
      if (![429, 503].includes(answer.status) || left === 0) return answer;
      await Bun.sleep(Number(answer.headers.get('retry-after') ?? 1) * 1000);
    }
  };
  return {
    ...calls,
    get: (path, headers) => again(() => calls.get(path, headers)),
    post: (path, body, headers) => {
      const once = { 'idempotency-key': crypto.randomUUID(), ...headers };
      return again(() => calls.post(path, body, once));
    },
    patch: (path, body, headers) => again(() => calls.patch(path, body, headers)),
    delete: (path, headers) => again(() => calls.delete(path, headers)),
  };
};

/** A firm as `makeFirm` gives it, whose callers come again. */
export const makePatientFirm = async (...given: Parameters<typeof makeFirm>): Promise<Firm> => {
  const firm = await makeFirm(...given);
  const callerOf: Firm['callerOf'] = async (...whose) => comingAgain(await firm.callerOf(...whose));
  return { ...firm, callerOf, owner: comingAgain(firm.owner) };
};

/** Sends a request as it is. */
export const send = async (url: string, request: RequestInit): Promise<Answer> => {
  const response = await fetch(url, request);
  const text = await response.text();
  expectDescribed(url, request.method ?? 'GET', response, text);
  return {
    status: response.status,
    headers: response.headers,
    body: text ? JSON.parse(text) : undefined,
  };
};
