import { bearer } from '@elysiajs/bearer';
import { type Context, Elysia } from 'elysia';
import { findHolder, type KeyHolder, noteUse } from '../api-keys/api-key.ts';
import { isWellFormed } from '../api-keys/secret.ts';
import { Refusal } from '../base/refusal.ts';
import { shareLookups } from '../base/shared-lookup.ts';
import { openTurns } from '../base/turns.ts';
import type { Rate, Settings } from '../config.ts';
import type { Scope } from '../contents.ts';
import { mayUse, neededFor, type Permission } from '../firm/permissions.ts';
import { noteCaller } from '../http/caller.ts';
import { callerAddress } from '../http/client-address.ts';
import { type Allowance, openRateLimit } from '../http/rate-limit.ts';
import { type KeyRateLimit, openSharedRateLimit } from '../http/shared-rate-limit.ts';
import type { Database } from '../postgres/pool.ts';
import type { Actor } from '../record/actor.ts';
import { readBody, readNeedless } from './body.ts';

/** Failed authentication, per address (docs/contract.md, Keys, roles, rates). */
const failureRate = { perSecond: 10 / 60, burst: 20 };

type Route = Context & { bearer?: string | undefined };
type Asking = Pick<Route, 'bearer' | 'request' | 'set'>;
/** The open port, which knows where a request comes from. */
type Port = () => Context['server'];

/**
 * The gate before every route that needs a key. `scope: 'leads:read'` on a route admits its caller
 * (401, 429, 403 in this order), reads the body if `bodyLimitBytes` is given, and hands the route
 * its `actor`. `takesNoBody` has the fields of a body named that nothing is done with. All this comes before the body's shape is checked. If several scopes are given, one
 * is enough; `granted` says which ones the caller has. `scope: []` admits any key. A route without `scope` has neither.
 */
export const gate = (database: Database, settings: Settings, server: Port) => {
  const admit = doorkeeper(database, settings, server);
  const admitted = new WeakMap<Request, Admitted>();
  const plugin = new Elysia({ name: 'gate' })
    .use(bearer({ extract: { header: 'Bearer', query: '', body: '' } }))
    .macro({
      scope(scope: Scope | readonly Scope[]) {
        const scopes = [scope].flat();
        return {
          // Without a scope, any key is enough.
          detail: {
            security:
              scopes.length > 0 ? scopes.map((one) => ({ apiKey: [one] })) : [{ apiKey: [] }],
          },
          // Named one by one: given the whole context, Elysia would read cookies for it.
          async transform({ bearer, request, set }: Route) {
            admitted.set(request, await admit({ bearer, request, set }, scopes));
          },
          resolve: ({ request }: Route) => admitted.get(request) as Admitted,
        };
      },
      bodyLimitBytes: (limit: number) => ({
        async transform(route: Route) {
          (route as { body: unknown }).body = await readBody(route.request, limit);
        },
      }),
      takesNoBody: (_: true) => ({
        async transform(route: Route) {
          (route as { body: unknown }).body = await readNeedless(route.request);
        },
      }),
    });
  return { plugin, actorOf: (request: Request) => admitted.get(request)?.actor };
};

/** Who was admitted, and what they may do. */
export type Admitted = {
  actor: Actor;
  /** Which of the route's scopes they have. */
  granted: Scope[];
  /** Whether the key's member may do this, whatever scopes the key has. */
  may(permission: Permission): boolean;
  /** The same caller as they are by now. Throws `Refusal` if they would not be admitted any more. */
  again(): Promise<Admitted>;
};

/** Decides who may enter: returns the actor, or throws the refusal. */
const doorkeeper = (database: Database, settings: Settings, server: Port) => {
  const lookUp = shareLookups((key) => findHolder(database, key));
  const calls =
    settings.rateLimit === 'off' ? undefined : keyLimit(database, settings.rateLimit, settings);
  const isLimited = settings.rateLimit !== 'off';
  const failures = openRateLimit(failureRate);
  const lately = openRateLimit({ perSecond: 1, burst: 600 });
  const { inTurn } = openTurns({
    atOnce: 4,
    ofOne: 2,
    inLine: 200,
    patienceMilliseconds: 2_000,
  });

  return async ({ bearer, request, set }: Asking, scopes: Scope[]): Promise<Admitted> => {
    const key = keyOf(request, bearer);
    const addressNow = () =>
      callerAddress(
        server()?.requestIP(request)?.address ?? 'unknown',
        request.headers.get('x-forwarded-for'),
        settings.trustedProxies,
      );
    const isNew = key === undefined || !lately.knows(key);
    // Known before anything is waited for: a caller may hang up.
    const address = isNew ? addressNow() : undefined;
    // One broken script must not shut out other callers behind the same address: a good key is let
    // in. At an address that keeps failing, keys that were not good lately wait for each other.
    const isSuspect =
      isLimited && key !== undefined && address !== undefined && failures.isSpent(address);
    const find = async () => (key === undefined ? undefined : lookUp(key));
    const holder = await (isSuspect ? inTurn(address, find) : find());
    if (!holder || key === undefined) {
      const allowance = failures.spend(address ?? addressNow());
      // Requests of the same moment were all looked up; only this many may learn the outcome.
      throw isLimited && allowance.retryAfterSeconds ? tooMany(allowance) : unknownKey();
    }
    noteCaller(request, { firmId: holder.firmId, keyId: holder.keyId });
    lately.spend(key);
    if (calls) {
      // A key and the keys it was rotated from are one caller, with one budget.
      const caller = { firmId: holder.firmId, keyId: holder.keyFamilyId };
      showAllowance(calls.rate, await calls.spend(caller), set);
    }
    const admit = (now: KeyHolder): Admitted => ({
      granted: rightsOf(now, scopes),
      actor: actorFor(database, now, String(set.headers['x-request-id'])),
      may: permittedTo(now),
      async again() {
        const found = await lookUp(key);
        if (!found) throw unknownKey();
        return admit(found);
      },
    });
    const admitted = admit(holder);
    noteUse(database, holder);
    return admitted;
  };
};

/** The well-formed key in the Authorization header. The scheme is case-insensitive. */
const keyOf = (request: Request, found: string | undefined): string | undefined => {
  const header = request.headers.get('authorization') ?? '';
  // The plugin knows one spelling of the scheme. For any other it looks for a key in the query.
  const rest = header.startsWith('Bearer ') ? found : /^bearer (.*)$/i.exec(header)?.[1];
  const key = rest?.replace(/^ +/, '') ?? '';
  return isWellFormed(key) ? key : undefined;
};

const unknownKey = () =>
  new Refusal(
    'unauthorized',
    'The API key is missing, wrong, revoked or expired. Send `Authorization: Bearer <API_KEY>`.',
    { 'www-authenticate': 'Bearer' },
  );

const tooMany = ({ retryAfterSeconds = 1 }: Allowance) => {
  const time = retryAfterSeconds === 1 ? '1 second' : `${retryAfterSeconds} seconds`;
  return new Refusal('rate_limited', `Too many requests. Wait ${time} and try again.`, {
    'retry-after': String(retryAfterSeconds),
  });
};

/** Only one instance uses an embedded database, so it can count in memory. */
const keyLimit = (database: Database, rate: Rate, settings: Settings): KeyRateLimit => {
  if (settings.database) return openSharedRateLimit(rate, database);
  const calls = openRateLimit(rate);
  return { rate, spend: ({ keyId }) => calls.spend(keyId) };
};

const showAllowance = ({ perSecond, burst }: Rate, allowance: Allowance, set: Context['set']) => {
  const { remaining, fullAfterSeconds } = allowance;
  Object.assign(set.headers, {
    'x-ratelimit-limit': String(burst),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + fullAfterSeconds),
    'ratelimit-policy': `"key";q=${burst};w=${Math.ceil(burst / perSecond)}`,
    ratelimit: `"key";r=${remaining};t=${fullAfterSeconds}`,
  });
  if (allowance.retryAfterSeconds !== undefined) throw tooMany(allowance);
};

/**
 * The effective rights are the key's scopes and the member's permissions (docs/contract.md, Keys,
 * roles, rates).
 */
const rightsOf = (holder: KeyHolder, asked: Scope[]): Scope[] => {
  if (asked.length === 0) return [];
  const inScope = asked.filter((scope) => holder.scopes.includes(scope));
  if (inScope.length === 0) {
    const what = asked.length > 1 ? 'has none of the scopes' : 'lacks the scope';
    const wanted = asked.length > 1 ? 'one of them' : 'it';
    throw new Refusal(
      'forbidden',
      `This key ${what} ${asked.join(', ')}. Make a key that has ${wanted}.`,
    );
  }
  const granted = inScope.filter((scope) => mayUse(scope, permittedTo(holder)));
  if (granted.length === 0) {
    const needed = inScope.flatMap(neededFor);
    const what = needed.length > 1 ? 'has none of the permissions' : 'lacks the permission';
    const wanted = needed.length > 1 ? 'one of them' : 'it';
    throw new Refusal(
      'forbidden',
      `The member who made this key ${what} ${needed.join(', ')}. An owner can give ${wanted} to their role.`,
    );
  }
  return granted;
};

const permittedTo = (holder: KeyHolder) => (one: Permission) =>
  holder.isOwner || holder.permissions.includes(one);

const actorFor = (database: Database, holder: KeyHolder, requestId: string): Actor => ({
  run: database.run,
  first: database.first,
  database,
  firmId: holder.firmId,
  memberId: holder.memberId,
  seesPrivate: holder.isOwner,
  keyId: holder.keyId,
  keyFamilyId: holder.keyFamilyId,
  holds: (scope) => holder.scopes.includes(scope) && mayUse(scope, permittedTo(holder)),
  requestId,
});
