import { desc, eq, isNull, sql } from 'drizzle-orm';
import { managesAllKeys } from '../api-keys/api-key.ts';
import { newId } from '../base/columns.ts';
import { invalidField, notFound, Refusal } from '../base/refusal.ts';
import type { Seals } from '../base/seal.ts';
import { placeBefore, placeOf } from '../events/cursor.ts';
import type { EventTypes } from '../events/interest.ts';
import type { Permission } from '../firm/permissions.ts';
import { rightsOf } from '../firm/rights.ts';
import { member } from '../firm/table.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Actor, Reader } from '../record/actor.ts';
import type { Page } from '../record/page.ts';
import { type Write, write } from '../record/write.ts';
import { allocate, countRemoved } from '../register/register.ts';
import { mustBeReachable, type Reach, urlFrom } from './address.ts';
import { newSigningSecret, openSecret, rowOf } from './secret.ts';
import { beginSending, endSending, keepSending, replayAfter, sendSoon } from './sending.ts';
import { type PauseReason, webhookEndpoint } from './table.ts';
import {
  type EndpointChange,
  type EndpointFull,
  type EndpointRow,
  limits,
  type NewEndpoint,
} from './wire.ts';

/** What the verbs need besides the database. */
export type Webhooks = {
  /** The types of events that can be asked for. */
  types: EventTypes;
  seals(): Seals;
  reach: Reach;
};

const all = ['*'];

/** The permission that a member needs to have endpoints. */
export const webhookPermission: Permission = 'keys:write';

/**
 * Makes an endpoint of the acting member, and returns it with its secret, which is shown once. Throws `Refusal`:
 * invalid_request for a URL that must not be sent to, and for an unknown type; forbidden for a type that the key may not
 * read; conflict for a firm with 20 endpoints.
 */
export const createEndpoint = async (
  { types: known, seals, reach }: Webhooks,
  actor: Actor,
  body: NewEndpoint,
): Promise<EndpointFull> => {
  const url = urlFrom(body.url);
  const wanted = wantedFrom(known, actor, body.types ?? all);
  await mustBeReachable(reach, url);
  const { memberId } = actor;
  if (memberId === null) throw new Error('An endpoint belongs to a member.');
  const made = await write(actor, async (w) => {
    const { ordinal, at } = await allocate(w, webhookEndpoint);
    await mustHaveRoom(w);
    const id = newId();
    w.create(webhookEndpoint, {
      ...{ firmId: w.firmId, id, ordinal, memberId, url, ...wanted },
      ...{ description: descriptionFrom(body.description), status: 'ACTIVE', statusAt: at },
      ...{ createdAt: at, updatedAt: at },
    });
    const row = { firmId: w.firmId, endpointId: id };
    const secret = await seals().seal(newSigningSecret(), rowOf(row));
    await beginSending(w, { ...row, secret });
    // What is kept for a repeat of the request has the secret sealed, as its row.
    return { ...(await readWithin(w, id)), secret };
  });
  return withSecret(seals(), actor, made);
};

/** The answer with the secret as it is used; without one in a dry run, whose secret is nobody's. */
const withSecret = async (
  seals: Seals,
  { firmId, dryRun }: Actor,
  { secret: sealed = '', ...answer }: EndpointFull,
): Promise<EndpointFull> => {
  const secret = await openSecret(seals, sealed, { firmId, endpointId: answer.id });
  return dryRun || secret === undefined ? answer : { ...answer, secret };
};

/** Changes an endpoint of one's own. Throws what `createEndpoint` throws, and not_found. */
export const updateEndpoint = async (
  { types: known, reach }: Webhooks,
  actor: Actor,
  id: string,
  body: EndpointChange,
): Promise<EndpointFull> => {
  const url = body.url === undefined ? undefined : urlFrom(body.url);
  const wanted = body.types && wantedFrom(known, actor, body.types);
  if (url !== undefined) await mustBeReachable(reach, url);
  return write(actor, async (w) => {
    const stored = await ownForChange(w, id);
    const isMoved = url !== undefined && url !== stored.url;
    const description =
      body.description === undefined ? stored.description : descriptionFrom(body.description);
    w.update(webhookEndpoint, stored, {
      ...(isMoved && { url }),
      ...wanted,
      ...{ description, updatedAt: await w.now() },
    });
    // What its former address answered says nothing of the new one.
    if (isMoved) keepSending(w, id, { isFresh: true });
    return readWithin(w, id);
  });
};

/** Ends an endpoint: nothing more is sent to it. Throws `Refusal` not_found. */
export const removeEndpoint = (actor: Actor, id: string) =>
  write(actor, async (w) => {
    const [stored, now] = await Promise.all([anyForChange(w, id), w.now()]);
    countRemoved(w, webhookEndpoint, stored.ordinal);
    w.remove(webhookEndpoint, stored, now);
    endSending(w, id);
  });

/** Sends no more until somebody resumes it. Throws `Refusal` not_found. */
export const pauseEndpoint = (actor: Actor, id: string): Promise<EndpointFull> =>
  write(actor, async (w) => {
    const [stored, now] = await Promise.all([anyForChange(w, id), w.now()]);
    if (stored.status === 'ACTIVE' || stored.reason === 'FAILING')
      stopWithin(w, stored, 'ASKED', now);
    return readWithin(w, id);
  });

/**
 * Sends again, from where it stopped. Throws `Refusal`: not_found; conflict if its member may have no endpoint now.
 */
export const resumeEndpoint = (actor: Actor, id: string): Promise<EndpointFull> =>
  write(actor, async (w) => {
    const [stored, now] = await Promise.all([anyForChange(w, id), w.now()]);
    const own = await rightsOf({ ...w, memberId: stored.memberId });
    if (!(own.holdsAll || own.permissions.includes(webhookPermission))) {
      throw new Refusal(
        'conflict',
        `Its member is deactivated or lacks the permission ${webhookPermission}. Make a new endpoint, or give it to their role.`,
      );
    }
    resumeWithin(w, stored, now);
    return readWithin(w, id);
  });

/** Resumes an endpoint inside a write of the server itself. */
export const resumeByServer = async (w: Write, id: string) => {
  const [stored, now] = await Promise.all([anyForChange(w, id), w.now()]);
  resumeWithin(w, stored, now);
};

/** Stops sending to an endpoint inside a write of the server itself. Says when, unless it was stopped before. */
export const stopByServer = async (w: Write, id: string, reason: PauseReason) => {
  const [stored, now] = await Promise.all([anyForChange(w, id), w.now()]);
  if (stored.status !== 'ACTIVE' && stored.reason !== 'FAILING') return undefined;
  stopWithin(w, stored, reason, now);
  return now;
};

const resumeWithin = (w: Write, stored: Stored, now: Date) => {
  const fields = { status: 'ACTIVE' as const, reason: null, statusAt: now, updatedAt: now };
  // An active one that fails is tried again at once.
  if (!w.update(webhookEndpoint, stored, stored.status === 'ACTIVE' ? {} : fields)) {
    w.record('update', webhookEndpoint, stored.id, { hurriedAt: { before: null, after: now } });
  }
  sendSoon(w, stored.id);
  keepSending(w, stored.id, { isFresh: true });
};

const stopWithin = (w: Write, stored: Stored, reason: PauseReason, now: Date) =>
  void w.update(webhookEndpoint, stored, {
    status: reason === 'GONE' ? 'DISABLED' : 'PAUSED',
    ...{ reason, statusAt: now, updatedAt: now },
  });

/**
 * Gives an endpoint of one's own a new secret, and returns it, once. For 24 hours messages are signed with the former one
 * too. Throws `Refusal` not_found, and forbidden for another member's.
 */
export const rotateEndpoint = async (
  { seals }: Webhooks,
  actor: Actor,
  id: string,
): Promise<EndpointFull> => {
  const rotated = await write(actor, async (w) => {
    const [stored, now] = await Promise.all([ownForChange(w, id), w.now()]);
    const sealed = await seals().seal(
      newSigningSecret(),
      rowOf({ firmId: w.firmId, endpointId: id }),
    );
    w.update(webhookEndpoint, stored, { rotatedAt: now, updatedAt: now });
    keepSending(w, id, { secret: sealed });
    return { ...(await readWithin(w, id)), secret: sealed };
  });
  return withSecret(seals(), actor, rotated);
};

/**
 * Sends to an endpoint of one's own again what happened after a cursor of the events, with the same ids. Throws `Refusal`:
 * invalid_request for a text that is no cursor; not_found; forbidden for another member's.
 */
export const replayEndpoint = (actor: Actor, id: string, after: string): Promise<EndpointFull> =>
  replayFrom(actor, id, (w) => placeOf(w, after));

/**
 * Sends to an endpoint of one's own again what happened in the last so many seconds. Throws what `replayEndpoint` throws of
 * the endpoint.
 */
export const replayLast = (actor: Actor, id: string, seconds: number): Promise<EndpointFull> =>
  replayFrom(actor, id, async (w) => placeBefore(w, (await w.now()).getTime() - seconds * 1_000));

const replayFrom = (actor: Actor, id: string, placeIn: (w: Write) => Promise<bigint>) =>
  write(actor, async (w) => {
    const stored = await ownForChange(w, id);
    const place = await placeIn(w);
    // A cursor ends with a time that changes nothing: its place is what was asked for.
    w.record('update', webhookEndpoint, stored.id, {
      replayedAfter: { before: null, after: String(place) },
    });
    replayAfter(w, id, place);
    return readWithin(w, id);
  });

/** One endpoint. Throws `Refusal` not_found, also for one that the reader does not see. */
export const readEndpoint = (reader: Reader, id: string): Promise<EndpointFull> =>
  readWithin(reader, id);

const readWithin = async (reader: Reader, id: string): Promise<EndpointFull> => {
  const found = await reader.first(endpointById, { ...(await seenBy(reader)), id });
  if (!found) throw notFound();
  return viewEndpoint(found);
};

/** A page of the endpoints that the reader sees, newest first. */
export const listEndpoints = async (reader: Reader, { limit, offset }: Page) => {
  const rows = await reader.run(endpoints, await seenBy(reader));
  return { rows: rows.slice(offset, offset + limit).map(viewEndpoint), total: rows.length };
};

type Stored = typeof webhookEndpoint.$inferSelect;

const viewEndpoint = (stored: Stored & { memberName: string }): EndpointRow => ({
  id: stored.id,
  url: stored.url,
  description: stored.description,
  types: stored.types,
  status: stored.status,
  reason: stored.reason,
  statusAt: stored.statusAt.toISOString(),
  member: { id: stored.memberId, name: stored.memberName },
  createdAt: stored.createdAt.toISOString(),
  updatedAt: stored.updatedAt.toISOString(),
});

const descriptionFrom = (text: string | null | undefined) => text?.trim() || null;

/** What is stored of the types that somebody wants. */
const wantedFrom = (known: EventTypes, { holds }: Actor, sent: readonly string[]) => {
  const types = [...new Set(sent)];
  const isAll = types.includes('*');
  if (isAll && types.length > 1) throw invalidField('types', 'must be `*` alone, or without it');
  if (!isAll) known.check('types', types);
  const mayRead = (resource: string) => holds?.(`${resource}:read`) !== false;
  if (!isAll) for (const type of types) known.mustHear(type, mayRead);
  return { types, resources: holds ? known.resources.filter(mayRead) : null };
};

// The firm's register is locked: two creates at once cannot both take the last place.
const mustHaveRoom = async (w: Write) => {
  const live = await w.first(countLive, { firmId: w.firmId });
  if (Number(live?.count) < limits.ofFirm) return;
  throw new Refusal(
    'conflict',
    `The firm has ${limits.ofFirm} webhook endpoints. Delete one that is not needed first.`,
  );
};

/** Members see their own endpoints; who manages all keys sees everybody's. */
const seenBy = async (reader: Reader) => {
  const own = await rightsOf(reader);
  const seesAll = own.holdsAll || managesAllKeys((one) => own.permissions.includes(one));
  return { firmId: reader.firmId, memberId: seesAll ? null : reader.memberId };
};

const anyForChange = async (w: Write, id: string): Promise<Stored> => {
  const stored = await w.first(endpointForChange, { ...(await seenBy(w)), id });
  if (!stored) throw notFound();
  return stored;
};

/** An endpoint that only its member changes: it hears what they may see. */
export const ownForChange = async (w: Write, id: string): Promise<Stored> => {
  const stored = await anyForChange(w, id);
  if (w.memberId === null || w.memberId === stored.memberId) return stored;
  throw new Refusal(
    'forbidden',
    "This endpoint is another member's. It hears what they may see, so only they change it. You may pause and delete it.",
  );
};

type Seen = { firmId: string; memberId: string | null };

const isSeen = ({ firmId, memberId }: Given<Seen>) =>
  sql`${webhookEndpoint.firmId} = ${firmId}::uuid and ${isNull(webhookEndpoint.deletedAt)}
    and (${memberId}::uuid is null or ${webhookEndpoint.memberId} = ${memberId}::uuid)`;

const withMember = () =>
  query
    .select({
      firmId: webhookEndpoint.firmId,
      id: webhookEndpoint.id,
      ordinal: webhookEndpoint.ordinal,
      memberId: webhookEndpoint.memberId,
      url: webhookEndpoint.url,
      description: webhookEndpoint.description,
      types: webhookEndpoint.types,
      resources: webhookEndpoint.resources,
      status: webhookEndpoint.status,
      reason: webhookEndpoint.reason,
      statusAt: webhookEndpoint.statusAt,
      rotatedAt: webhookEndpoint.rotatedAt,
      createdAt: webhookEndpoint.createdAt,
      updatedAt: webhookEndpoint.updatedAt,
      deletedAt: webhookEndpoint.deletedAt,
      memberName: member.name,
    })
    .from(webhookEndpoint)
    .innerJoin(
      member,
      sql`${member.firmId} = ${webhookEndpoint.firmId} and ${member.id} = ${webhookEndpoint.memberId}`,
    );

// A firm has twenty at most.
const endpoints = statement((given: Given<Seen>) =>
  withMember().where(isSeen(given)).orderBy(desc(webhookEndpoint.ordinal)),
);

const endpointById = statement((given: Given<Seen & { id: string }>) =>
  withMember().where(sql`${isSeen(given)} and ${eq(webhookEndpoint.id, given.id)}`),
);

const endpointForChange = statement((given: Given<Seen & { id: string }>) =>
  withMember()
    .where(sql`${isSeen(given)} and ${eq(webhookEndpoint.id, given.id)}`)
    .for('update', { of: webhookEndpoint }),
);

const countLive = statement(({ firmId }: Given<'firmId'>) =>
  query
    .select({ count: sql<string>`count(*)` })
    .from(webhookEndpoint)
    .where(
      sql`${webhookEndpoint.firmId} = ${firmId}::uuid and ${isNull(webhookEndpoint.deletedAt)}`,
    ),
);
