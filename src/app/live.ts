import { sql } from 'drizzle-orm';
import { countUnread, type Unread } from '../notifications/inbox.ts';
import type { Database } from '../postgres/pool.ts';
import { type Given, shortStatement } from '../postgres/statement.ts';
import { readSession, type SignedIn } from '../sign-in/session.ts';
import { kindsChanged } from '../visibility/entries.ts';

const everyMilliseconds = 2_000;
const quietMilliseconds = 20_000;
const maxListeners = 500;
/** No firm holds more than half of the places, and no member more than a few browsers need. */
const maxOfFirm = maxListeners / 2;
const maxOfMember = 10;
/** After this many looks a session is looked up again, so that a stream ends with its session. */
const proveAfterLooks = 5;

type Listener = {
  session: SignedIn;
  token: string;
  looks: number;
  /** What it knew when it began to listen, until it is told what came after that. */
  knew: Known | undefined;
  /** When it began to listen, by the clock of this process. */
  begunAt: number;
  /** The mark of the unread notices that it was told of last. */
  unread: string | undefined;
  tell: (text: string) => void;
  end: () => void;
};

/**
 * What a browser knew before its stream began: the newest entry that an earlier stream told it of, or
 * the page that it has shown for so many milliseconds.
 */
export type Known = { entryId: string | null; shownMilliseconds: number };

/** What a browser says that it knows: `Last-Event-ID` when it connects again, or `?shown=` of its page. */
export const knownBy = ({ url, headers }: Request): Known => {
  const entryId = headers.get('last-event-id') ?? '';
  const shown = Number(new URL(url).searchParams.get('shown'));
  return {
    entryId: /^\d{1,18}$/.test(entryId) ? entryId : null,
    shownMilliseconds: shown > 0 ? Math.min(shown, maxShownMilliseconds) : 0,
  };
};

const maxShownMilliseconds = 7 * 24 * 60 * 60 * 1_000;

/** The newest entry of a firm's audit log. Every change has an entry. */
const newestEntry = shortStatement(
  ({ firmId }: Given<'firmId'>) => sql<{ id: string }>`
    select id::text as id from audit_entry where audit_entry.firm_id = ${firmId}::uuid
    order by audit_entry.id desc limit 1`,
);

/** The database's clock, in milliseconds. */
const clock = shortStatement(
  () =>
    sql<{
      milliseconds: number;
    }>`select extract(epoch from moment())::float8 * 1000 as milliseconds`,
);

type LastKnown = { firmId: string; entryId: string | null; knownMilliseconds: number };

/**
 * The entry that a browser knew last, or the last one until a moment of the database's clock; of the newest 500, the
 * first, where it knew none of them.
 */
const lastKnown = shortStatement(
  ({ firmId, entryId, knownMilliseconds }: Given<LastKnown>) => sql<{ id: string | null }>`
    select greatest(min(id) - 1, coalesce(${entryId}::bigint, max(id) filter (
      where at <= to_timestamp(${knownMilliseconds}::float8 / 1000)
    )))::text as id
    from (
      select id, at from audit_entry where audit_entry.firm_id = ${firmId}::uuid
      order by audit_entry.id desc limit 500
    ) as recent`,
);

/**
 * Tells browsers what changed: the number of unread notices, and which kinds of record. One look
 * every two seconds serves all listeners of this instance. So it does not matter which instance
 * wrote, or how many listen.
 */
export const openLive = (database: Database) => {
  const listeners = new Set<Listener>();
  const changesFor = openChanges(database);
  let toldAt = performance.now();
  let isLooking = false;

  const look = async () => {
    const all = [...listeners];
    if (all.length === 0 || isLooking) return;
    isLooking = true;
    try {
      const unread = await countUnread(database, membersAmong(all));
      const { newest, changed } = await changesFor(all);
      const isQuiet = performance.now() - toldAt > quietMilliseconds;
      if (isQuiet) toldAt = performance.now();
      for (const one of all) tell(one, newest(one), changed(one), unread, isQuiet);
      await tellMissed(all.filter(({ knew }) => knew));
      await endThoseSignedOut(all);
    } catch {
      // The database does not answer. The next look reports what changed in the meantime.
    } finally {
      isLooking = false;
    }
  };

  /** What changed after a browser's page was made and before its stream began. */
  const tellMissed = async (waiting: readonly Listener[]) => {
    if (waiting.length === 0) return;
    const read = await database.first(clock);
    // The clock was read before its answer came: however late that is, no stream seems to have begun later than it did.
    const now = performance.now();
    const tell = async (one: Listener) => {
      if (!one.knew || !read) return;
      const { firmId } = one.session;
      const { entryId, shownMilliseconds } = one.knew;
      const knownMilliseconds = read.milliseconds - (now - one.begunAt) - shownMilliseconds;
      const known = { firmId, entryId, knownMilliseconds };
      const since = (await database.first(lastKnown, known))?.id ?? '0';
      const asked = { firmId, since, ...waitingIn([one], firmId) };
      const kinds = new Set((await kindsChanged(database, asked)).map(({ kind }) => kind));
      one.knew = undefined;
      if (kinds.size > 0) one.tell(eventOf('changed', [...kinds].join(' ')));
    };
    await Promise.all(waiting.map(tell));
  };

  const endThoseSignedOut = async (all: Listener[]) => {
    for (const one of all) {
      one.looks += 1;
      if (one.looks % proveAfterLooks !== 0) continue;
      if (!(await readSession(database, one.token))) one.end();
    }
  };

  const timer = setInterval(look, everyMilliseconds);

  const hasPlaceFor = ({ firmId, member }: SignedIn) => {
    const ofFirm = [...listeners].filter(({ session }) => session.firmId === firmId);
    const ofMember = ofFirm.filter(({ session }) => session.member.id === member.id);
    const isFree = listeners.size < maxListeners && ofFirm.length < maxOfFirm;
    return isFree && ofMember.length < maxOfMember;
  };

  /**
   * An answer that continues until the browser, the session or this instance ends it; 204 if no
   * place is free, which tells a browser not to ask again by itself.
   */
  const listen = (session: SignedIn, token: string, knew: Known): Response => {
    if (!hasPlaceFor(session)) return new Response(null, { status: 204 });
    const begin = (listener: Listener) => {
      listeners.add(listener);
      listener.tell('retry: 3000\n\n');
      void look();
    };
    const forget = (listener: Listener) => listeners.delete(listener);
    return new Response(streamTo({ session, token, knew }, begin, forget), {
      headers: streamHeaders,
    });
  };

  /** Ends all streams. Browsers connect again by themselves, to this or another instance. */
  const close = () => {
    clearInterval(timer);
    for (const one of listeners) one.end();
  };

  return { listen, close };
};

/** Reads what changed since the last look, as each listener may know it. */
const openChanges = (database: Database) => {
  let newest: ReadonlyMap<string, string | null> = new Map();
  return async (all: Listener[]) => {
    const firmIds = [...new Set(all.map(({ session }) => session.firmId))];
    const kinds = new Map<string, string[]>();
    const entries = await Promise.all(
      firmIds.map((firmId) => database.first(newestEntry, { firmId })),
    );
    const now = new Map(firmIds.map((firmId, at) => [firmId, entries[at]?.id ?? null]));
    for (const [firmId, id] of now) {
      const since = newest.get(firmId);
      if (since === undefined || since === id) continue;
      const asked = { firmId, since: since ?? '0', ...waitingIn(all, firmId) };
      for (const { kind, memberId } of await kindsChanged(database, asked)) {
        const of = memberId ?? firmId;
        kinds.set(of, [...(kinds.get(of) ?? []), kind]);
      }
    }
    // Only when all was read: what a look that fails has not told is told by the next one.
    newest = now;
    // Only those who see a private record hear of it.
    return {
      newest: ({ session }: Listener) => now.get(session.firmId) ?? undefined,
      changed: ({ session }: Listener) =>
        [session.firmId, session.member.id].flatMap((of) => kinds.get(of) ?? []).join(' '),
    };
  };
};

/** A stream of events to one browser. `forget` says whether the listener was still known. */
const streamTo = (
  of: Pick<Listener, 'session' | 'token' | 'knew'>,
  begin: (listener: Listener) => void,
  forget: (listener: Listener) => boolean,
) => {
  const encoder = new TextEncoder();
  let listener: Listener;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const end = () => forget(listener) && controller.close();
      const tell = (text: string) => {
        // A reader that is too slow is disconnected. It connects again by itself.
        if ((controller.desiredSize ?? 0) < -64) end();
        else controller.enqueue(encoder.encode(text));
      };
      listener = { ...of, begunAt: performance.now(), looks: 0, unread: undefined, tell, end };
      begin(listener);
    },
    cancel: () => void forget(listener),
  });
};

const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-accel-buffering': 'no',
};

/** A browser that connects again by itself names the last id that it was told of. */
const eventOf = (name: string, data: string, id?: string) =>
  `${id ? `id: ${id}\n` : ''}event: ${name}\ndata: ${data}\n\n`;

/**
 * Tells a listener what is new for them. The number of unread notices is told again if it is the
 * same and the notices are not: an open inbox shows which ones they are. A line without a
 * meaning keeps a quiet connection open.
 */
const tell = (
  one: Listener,
  newest: string | undefined,
  changed: string,
  unread: ReadonlyMap<string, Unread>,
  isQuiet: boolean,
) => {
  const { count, mark } = unread.get(memberOf(one)) ?? { count: 0, mark: '' };
  if (changed) one.tell(eventOf('changed', changed, newest));
  if (mark !== one.unread) {
    one.unread = mark;
    one.tell(eventOf('unread', String(count), newest));
  } else if (isQuiet) one.tell(':\n\n');
};

const memberOf = ({ session }: Listener) => session.member.id;

const membersAmong = (listeners: Listener[]) => {
  const members = listeners.map(({ session }) => ({
    firmId: session.firmId,
    memberId: session.member.id,
  }));
  return [...new Map(members.map((one) => [one.memberId, one])).values()];
};

const waitingIn = (all: Listener[], firmId: string) => {
  const here = all.filter(({ session }) => session.firmId === firmId);
  const ids = (some: Listener[]) => [...new Set(some.map(memberOf))];
  return { memberIds: ids(here), ownerIds: ids(here.filter(({ session }) => session.isOwner)) };
};
