import type { ComponentChild } from 'preact';
import type { Refusal } from '../base/refusal.ts';
import type { Settings } from '../config.ts';
import type { Installation } from '../doctor/installation.ts';
import type { Permission } from '../firm/permissions.ts';
import type { Database } from '../postgres/pool.ts';
import type { Actor, Reader } from '../record/actor.ts';
import type { SignedIn } from '../sign-in/session.ts';
import type { Fields } from './fields.ts';
import type { MoreHeaders } from './headers.ts';

/** The names in a path: `'id'` of `'/leads/:id'`. */
type ParametersOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParametersOf<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** A refused form on the page that is shown again: what it sent, and the refusal. */
export type Refused = {
  fields: Fields;
  refusal: Refusal;
  action: string;
  /** Set by the part of the page that says why; otherwise the top of the page says it. */
  isShown?: boolean;
};

/** A visit to a page, with or without somebody signed in. */
export type OpenVisit<Path extends string = string> = {
  request: Request;
  /** The address without its query, for example `/leads/1`. */
  path: string;
  parameters: Record<ParametersOf<Path>, string>;
  query: URLSearchParams;
  session: SignedIn | undefined;
  database: Database;
  settings: Settings;
  installation: Installation;
  /** The caller's network address. */
  address: string;
  refused?: Refused;
};

export type Visit<Path extends string = string> = OpenVisit<Path> & {
  session: SignedIn;
  actor: Actor;
  may(permission: Permission): boolean;
};

/**
 * Who may see a page: members with a permission, with one of several or with all of them; any
 * member, owners, or everybody (`open`).
 */
export type Admission =
  | Permission
  | { anyOf: readonly Permission[] }
  | { allOf: readonly Permission[] }
  | 'member'
  | 'owner'
  | 'open';

/** The type of visit that a page gets. On an open page nobody needs to be signed in. */
type VisitFor<Who extends Admission, Path extends string> = Who extends 'open'
  ? OpenVisit<Path>
  : Visit<Path>;

export type Shown = {
  /** The document's title, without the firm's name. */
  title: string;
  /** The content of the page, from its `<h1>`. */
  main: ComponentChild;
  /**
   * The entry of the navigation that is marked, for example `/leads`. By default it is the
   * beginning of the address.
   */
  place?: string;
  /** The page renews itself when a record of these kinds changes: `['lead']`. */
  follows?: readonly string[];
  /** What the page is for: the first link leads there (`workIds`, layout.tsx). */
  work?: 'list' | 'form' | 'note' | 'settings' | undefined;
  /** For a record's page: the words below its name in the palette. */
  record?: string;
  /** Headers for the answer: cookies. */
  headers?: MoreHeaders;
  /** The answer's status, if the page itself decides it: 410 for a link that is over. */
  status?: number;
  /** The answer to a script of the application that asks for JSON. */
  data?: unknown;
};

/**
 * What the page says when a form is done: what happened, to whom or to how many. `{title}` stands
 * for the title of the page that is shown then.
 */
export type Said = { words: string; undo?: Undo };

/** The form that takes back what was done: its address, and what it sends. */
export type Undo = { action: string; fields: [name: string, value: string][] };

/**
 * Where to go after a form, what is said there, and headers for the answer (cookies). `isKept`: the
 * form is not done yet; it goes along, and is sent when the member comes back.
 */
export type GoTo =
  | string
  | { path: string; headers?: MoreHeaders; isKept?: boolean; said?: Said | undefined };

/** A page that a link opens, and who may see it. */
export type ShownPage<Path extends string = string> = {
  method: 'GET';
  path: Path;
  admission: Admission;
  /** Who else may not see it, by its address; `undefined` if nobody. */
  also?(visit: Visit): Admission | undefined;
  show(visit: OpenVisit): Promise<Shown | Response>;
};

/** The texts of fields by their names. */
export type Texts = Record<string, string>;

/**
 * What the fields of a form hold now, as the form sends them. So a change undoes nobody's: what two
 * people changed is refused field by field, and the other fields are taken from both.
 */
export type Guard<Seen = Visit> = ReadNow<Seen> | WholeGuard<Seen>;

type ReadNow<Seen> = (reader: Reader, visit: Seen, fields: Fields) => Promise<Texts>;

/** For a form whose fields are compared as a whole: a matter's team is one text. */
type WholeGuard<Seen> = {
  now: ReadNow<Seen>;
  /** What the form sent, in the same words. */
  sent(fields: Fields): Texts;
  /** Says what somebody else changed, if not each field says it. */
  words?(reader: Reader, changed: readonly string[], fields: Fields): Promise<string>;
};

/** What the row of a form says besides who may send it. The door does it (`policy.ts`). */
export type Policy<Seen = Visit> = {
  /** Who may send it for this record, or with what was sent; `undefined` if it does not matter. */
  also?(visit: Seen, fields: Fields): MaybePromise<Admission | undefined>;
  /** What its fields hold now: nobody's change is undone. */
  guard?: Guard<Seen>;
  /** It makes something in one write: sent again unchanged, it makes nothing more. */
  once?: boolean;
  /**
   * The member must have proved who they are within the last 15 minutes. It says what they are about to do, as the page
   * that asks for the proof names it: `invite a member`.
   */
  proof?: string | undefined;
  /** What the form may send; 1 MiB if the row does not say it. */
  maxBytes?: number;
  /** What the page says when it is done, if `change` says nothing itself (`Said`). */
  said?: string;
};

type MaybePromise<Value> = Value | Promise<Value>;

/** A form, and the page that shows it again if it is refused: to those whom that page admits. */
export type SentForm = {
  method: 'POST';
  path: string;
  admission: Admission;
  change(visit: OpenVisit, fields: Fields): Promise<GoTo | Shown | Response>;
  again: ShownPage;
  policy: Policy;
};

/** A page, or a form. `pages.ts` lists each one once. */
export type Page = ShownPage | SentForm;

/** Defines a page, and who may see it: `also` if that depends on the address, too. */
export const page = <const Path extends string, const Who extends Admission>(
  path: Path,
  admission: Who,
  show: (visit: VisitFor<Who, Path>) => Promise<Shown | Response>,
  policy: Pick<ShownPage, 'also'> = {},
): ShownPage<Path> => ({
  ...policy,
  method: 'GET',
  path,
  admission,
  show: show as (visit: OpenVisit) => Promise<Shown>,
});

/**
 * Defines a form. `change` calls a verb and returns the next address, or a page that is shown only
 * now (a key, recovery codes). If it throws a `Refusal`, the page `again` is shown with the faults
 * and with what was typed. Who may send the form but not see that page gets the refusal alone.
 */
export const form = <
  const Path extends string,
  const Who extends Admission,
  const Again extends string,
>(
  path: Path,
  admission: Who,
  change: (visit: VisitFor<Who, Path>, fields: Fields) => Promise<GoTo | Shown | Response>,
  again: ParametersOf<Again> extends ParametersOf<Path> ? ShownPage<Again> : never,
  policy: Policy<VisitFor<Who, Path>> = {},
): SentForm => ({
  method: 'POST',
  path,
  admission,
  change: change as (visit: OpenVisit, fields: Fields) => Promise<GoTo>,
  again,
  policy: policy as Policy,
});
