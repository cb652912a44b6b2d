import type { ComponentChild } from 'preact';
import type { Refusal } from '../base/refusal.ts';
import type { Settings } from '../config.ts';
import type { Permission } from '../firm/permissions.ts';
import type { Database } from '../postgres/pool.ts';
import type { Actor } from '../record/actor.ts';
import type { SignedIn } from '../sign-in/session.ts';
import type { Fields } from './fields.ts';

/** The names in a path: `'id'` of `'/leads/:id'`. */
type ParametersOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParametersOf<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** What a form sent and why it was refused, on the page that is shown again because of that. */
export type Refused = { fields: Fields; refusal: Refusal; action: string };

/** What a page is asked, whether or not somebody is signed in. */
export type OpenVisit<Path extends string = string> = {
  request: Request;
  /** The address asked for, such as `/leads/1`, without its query. */
  path: string;
  parameters: Record<ParametersOf<Path>, string>;
  query: URLSearchParams;
  /** Who is signed in. */
  session: SignedIn | undefined;
  database: Database;
  settings: Settings;
  /** The caller's network address. */
  address: string;
  refused?: Refused;
};

/** What a page is asked by a member who is signed in. */
export type Visit<Path extends string = string> = OpenVisit<Path> & {
  session: SignedIn;
  actor: Actor;
  may(permission: Permission): boolean;
};

/** Who a page is for: members with a permission, any member, owners, or everybody (`open`). */
export type Admission = Permission | 'member' | 'owner' | 'open';

/** The visit that a page gets: without admission nobody need be signed in. */
export type VisitFor<Who extends Admission, Path extends string> = Who extends 'open'
  ? OpenVisit<Path>
  : Visit<Path>;

/** What a page shows. */
export type Shown = {
  /** The document's title, without the firm's name. */
  title: string;
  /** What stands in the page, from its `<h1>` on. */
  main: ComponentChild;
  /** The place in the navigation that is marked, such as `/leads`; by default the one that the address begins with. */
  place?: string;
  /** A change of these kinds of record has the page show itself anew: `['lead']`. */
  follows?: readonly string[];
  /** Of a record's page: the words below its name in the palette's list of what was opened last. */
  record?: string;
  /** What a script of ours is answered that asks this page for JSON. */
  data?: unknown;
};

/** Where to go after a form, and headers for the way (a cookie). */
export type GoTo = string | { path: string; headers: Record<string, string> };

/** A page, or what a form does: each is listed once, in `pages.ts`. */
export type Page = { path: string; admission: Admission } & (
  | { method: 'GET'; show(visit: OpenVisit): Promise<Shown | Response> }
  | {
      method: 'POST';
      change(visit: OpenVisit, fields: Fields): Promise<GoTo | Shown | Response>;
      showAgain(visit: OpenVisit): Promise<Shown | Response>;
      mostBytes: number;
    }
);

/** A page, and who may see it. */
export const page = <const Path extends string, const Who extends Admission>(
  path: Path,
  admission: Who,
  show: (visit: VisitFor<Who, Path>) => Promise<Shown | Response>,
): Page => ({ method: 'GET', path, admission, show: show as (visit: OpenVisit) => Promise<Shown> });

/**
 * What a form does: `change` calls a verb and gives the address to go on to, or what is shown this once
 * and never again (a key, recovery codes; such a form is sent whole). Where it throws a
 * `Refusal`, `showAgain` shows the page with it, beside the field and with all that was typed.
 * A form may send 1 MiB, or `mostBytes`.
 */
export const form = <const Path extends string, const Who extends Admission>(
  path: Path,
  admission: Who,
  change: (visit: VisitFor<Who, Path>, fields: Fields) => Promise<GoTo | Shown | Response>,
  showAgain: (visit: VisitFor<Who, Path>) => Promise<Shown | Response>,
  mostBytes = 1024 * 1024,
): Page => ({
  method: 'POST',
  path,
  admission,
  change: change as (visit: OpenVisit, fields: Fields) => Promise<GoTo>,
  showAgain: showAgain as (visit: OpenVisit) => Promise<Shown>,
  mostBytes,
});
