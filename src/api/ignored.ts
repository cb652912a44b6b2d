/**
 * Nothing that is sent is ignored in silence (docs/contract.md, Requests). One place for every route
 * that there is or will be: what a route knows follows from its shapes.
 */
import type { TSchema } from '@sinclair/typebox';
import type { Context } from 'elysia';
import { quoted } from '../base/quoted.ts';
import { invalid } from '../base/refusal.ts';
import { isNearName } from '../base/spelling.ts';
import type { Actor } from '../record/actor.ts';
import { doubledKeysOf } from './body.ts';
import { appliedOf, preferencesOf } from './preferences.ts';
import { findUnknown, type Known, knownOf, type Unknown } from './unknown.ts';

type Routes = { routes: { method: string; path: string; hooks: Shapes }[] };
type Shapes = { body?: unknown; query?: unknown };

/** What a route knows: the fields of its body, which are none if it takes none, and its parameters. */
type Heard = { fields: Known; parameters: Known };

/** A request that was admitted, with its body read. */
type Asked = Pick<Context, 'body' | 'request' | 'route' | 'set'>;

const maxNames = 20;
const maxCharacters = 100;
const writing = new Set(['POST', 'PATCH', 'DELETE']);

/**
 * Names what a request has that its route does not know, in `Ignored-Fields` and
 * `Ignored-Parameters`, and does what `Prefer` asks for. Throws `Refusal` invalid_request for what it
 * would have named, if the caller prefers that.
 */
export const heeding = (routes: () => Routes, actorOf: (request: Request) => Actor | undefined) => {
  let heard: Map<string, Heard> | undefined;
  return ({ body, request, route, set }: Asked): void => {
    heard ??= heardBy(routes());
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const known = heard.get(`${method} ${route}`);
    if (!known) return;
    const parameters = unknownParameters(known.parameters, request.url);
    const { unknown, doubled } = faultsOf(known.fields, body);
    const fields = [...unknown.map(({ path }) => path), ...doubled];
    if (fields.length > 0) set.headers['ignored-fields'] = listOf(fields);
    if (parameters.length > 0)
      set.headers['ignored-parameters'] = listOf(parameters.map(({ path }) => path));
    const prefer = request.headers.get('prefer');
    if (prefer === null) return;
    const asked = preferencesOf(prefer);
    const isDryRun = asked.isDryRun && writing.has(method);
    const applied = appliedOf({ ...asked, isDryRun });
    if (applied) set.headers['preference-applied'] = applied;
    const actor = actorOf(request);
    if (isDryRun && actor) actor.dryRun = { made: new Set() };
    if (asked.isStrict && fields.length + parameters.length > 0)
      throw notIgnored(unknown, doubled, parameters);
  };
};

const heardBy = ({ routes }: Routes) =>
  new Map(
    routes.map(({ method, path, hooks }): [string, Heard] => [
      `${method} ${path}`,
      {
        fields: knownOf(hooks.body as TSchema | undefined),
        parameters: knownOf(hooks.query as TSchema | undefined),
      },
    ]),
  );

type Faults = { unknown: Unknown[]; doubled: readonly string[] };

const faultsOf = (known: Known, body: unknown): Faults => {
  const unknown: Unknown[] = [];
  if (typeof body !== 'object' || body === null) return { unknown, doubled: [] };
  findUnknown(known, body, maxNames, unknown);
  const named = new Set(unknown.map(({ path }) => path));
  return { unknown, doubled: doubledKeysOf(body).filter((path) => !named.has(path)) };
};

const unknownParameters = (known: Known, url: string): Unknown[] => {
  const from = url.indexOf('?');
  if (from < 0 || areKnown(known, url.slice(from + 1))) return [];
  const names = new Set(new URLSearchParams(url.slice(from)).keys());
  const unknown: Unknown[] = [];
  for (const name of names)
    if (!known.names.has(name)) unknown.push({ path: name, name, known: known.names });
  return unknown.slice(0, maxNames);
};

/** Whether a query has known names alone, as nearly every one does, each written plainly. */
const areKnown = ({ names }: Known, query: string) =>
  query.split('&').every((one) => names.has(one.slice(0, one.indexOf('='))));

/** Names as a list of strings (RFC 9651): at most 20, and of each at most 100 characters. */
const listOf = (names: readonly string[]) =>
  names
    .slice(0, maxNames)
    .map((name) => `"${written(name)}"`)
    .join(', ');

const isPlain = /^[ !#$&-[\]-~]$/;

/** What is no printable ASCII, and the percent sign, is percent-encoded. */
const written = (name: string) => {
  let text = '';
  for (const character of name.slice(0, 2 * maxCharacters).toWellFormed()) {
    const next =
      character === '"' || character === '\\'
        ? `\\${character}`
        : isPlain.test(character)
          ? character
          : encodeURIComponent(character);
    if (text.length + next.length > maxCharacters) break;
    text += next;
  }
  return text;
};

const notIgnored = (
  unknown: readonly Unknown[],
  doubled: readonly string[],
  parameters: readonly Unknown[],
) => {
  const sentences = [
    ...unknown.map((one) => sentence(one, 'field')),
    ...doubled.map((path) => `${quoted(path)} is sent twice.`),
    ...parameters.map((one) => sentence(one, 'parameter')),
  ];
  return invalid(
    `${sentences.slice(0, maxNames).join(' ')} With \`Prefer: handling=strict\` nothing is ignored: correct it, or leave it out.`,
  );
};

const sentence = ({ path, name, known }: Unknown, noun: string) => {
  const near = [...known].find((one) => isNearName(name.slice(0, maxCharacters), one));
  return `${quoted(path)} is not a ${noun} of this request${near ? `; did you mean ${quoted(near)}?` : '.'}`;
};
