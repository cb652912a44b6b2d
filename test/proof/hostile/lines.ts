/** Wrong first lines and header lines. */
import { notIds } from '../../api/corpus/texts.ts';
import { longText, unknownKey } from './junk.ts';
import type { Chance } from './operations.ts';

export type Lines = [name: string, value: string][];

const wildPaths = (id: string): string[] => [
  ...[`/v1/leads/../contacts/${id}`, `/v1/leads/%2e%2e/contacts`, '/v1//leads', '//v1/leads'],
  ...['/v1/leads/', '/v1/leads//', '/V1/LEADS', '/v1/leads;a=b', '/v1/leads/.', '/v1/./leads'],
  ...[`/v1/leads/${id}/../../..`, `/v1/leads/${id}%00`, `/v1/leads/${id}/`, `/v1/leads/${id}/x`],
  ...['/v1/leads%2f', '/v1%2fleads', '/%76%31/leads', '/v1/le%61ds', '/v1/leads/%c0%ae%c0%ae'],
  ...['/v1/leads/%', '/v1/leads/%2', '/v1/leads/%zz', '/v1/leads/%u0041', '/v1/leads/%25', '/v1'],
  ...['/v1/leads#x', '/v1/leads\\x', '\\v1\\leads', '/v1/leads/\x80\xff', '/v1/leads\t', '*'],
  ...['http://other.example/v1/leads', 'https://[::1]:99999/v1/leads', 'ftp:leads', 'v1/leads'],
  ...['/../../../../etc/passwd', '/v1/../../drizzle', '/.env', '/.git/config', '/metrics', '/'],
  ...['/healthz', '/readyz', '/version', '/v1/openapi.json', '/docs', '/docs/../v1/leads'],
  ...['/v1/__proto__', '/v1/constructor', '/v1/leads/__proto__', '/v1/leads/:id', '/v1/leads/{id}'],
];

/** A target that no client writes by mistake. */
export const wildTarget = (chance: Chance, id: string): string => {
  const tail = chance.among(['', '', '', '?limit=5', '?', '?%00', '?a=%ff', '#', '?'.repeat(50)]);
  if (chance.happens(0.05)) return `/v1/leads/${'a'.repeat(chance.from(1_000, 14_000))}${tail}`;
  return `${chance.among(wildPaths(id))}${tail}`;
};

/** Something in the place of an id in a path. */
export const wildId = (chance: Chance, id: string): string => {
  const text = chance.among(notIds(id));
  return chance.happens(0.7) ? encodeURIComponent(text) : text.replace(/[\s\u0080-\uffff]/g, '+');
};

const values = [
  ...['', '0', '-1', '1', '100', '101', '1e3', '1.0', '+5', '٣', ' 5', '5 ', '0x10', 'NaN'],
  ...['null', 'true', '[]', '[object Object]', '9007199254740991', '9007199254740992'],
  ...['99999999999999999999', "1'", '1;drop table lead', '1%00', '%', '%zz', '%ff', '%u0041'],
  ...['a', 'qu', 'quill', '"', "'", '\\', '*', '%25', '_', '%25_%25', ':*', '!', '&', '|', '()'],
];

/** A query string with wrong, strange, doubled and unknown parameters. */
export const wildQuery = (chance: Chance): string => {
  const names = ['limit', 'offset', 'q', 'practiceAreaId', 'limit[]', 'limit[a]', 'LIMIT', 'sort'];
  const pairs = Array.from({ length: chance.from(1, 5) }, () => {
    const name = chance.happens(0.9) ? chance.among(names) : encodeURIComponent(unknownKey(chance));
    const value = chance.happens(0.85)
      ? encodeURI(chance.among(values)).replaceAll('%25', '%')
      : encodeURIComponent(longText(chance).slice(0, 600).toWellFormed());
    return chance.happens(0.95) ? `${name}=${value}` : name;
  });
  return `?${pairs.join(chance.among(['&', '&', '&', ';', '&&', '?']))}`;
};

export const wildMethods = [
  ...[
    'GET',
    'POST',
    'PATCH',
    'DELETE',
    'PUT',
    'HEAD',
    'OPTIONS',
    'get',
    'Post',
    'TRACE',
    'CONNECT',
  ],
  ...['PROPFIND', 'FOO', 'QUERY', 'LINK', 'PURGE', 'X'.repeat(300), 'M-SEARCH', 'GE\x00T', '"GET"'],
];

const strange = [
  ...['', ' ', '*', '"', '""', '"a"', 'W/"a"', 'W/', ',', '"a", *', '%00', '{}', '[]', 'null'],
  ...['\x80\xff', 'é', "' or 1=1 --", '../..', 'a'.repeat(64), 'a'.repeat(65), 'a'.repeat(255)],
  ...['a'.repeat(256), 'a'.repeat(1_000), 'a'.repeat(1_001), 'a'.repeat(9_000), '"a",'.repeat(250)],
  ...['\t', 'a\tb', '0', '-1', 'true', '\u007f', '__proto__', 'constructor'],
];
const types = [
  ...['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'multipart/form-data'],
  ...['multipart/form-data; boundary=x', 'application/json; charset=utf-16', 'application/json;'],
  ...['APPLICATION/JSON', 'application/json; charset=UTF-8', 'application/json, text/plain', '/'],
  ...[
    'application/merge-patch+json',
    'application/json;charset="utf-8"',
    '*/*',
    '',
    'json',
    '\xff',
  ],
];
const names = [
  ...[
    'If-Match',
    'If-None-Match',
    'Idempotency-Key',
    'X-Request-Id',
    'If-Match',
    'Idempotency-Key',
  ],
  ...['Accept', 'Accept-Encoding', 'Accept-Language', 'Cookie', 'Origin', 'Referer', 'Range'],
  ...['X-Forwarded-For', 'Forwarded', 'X-HTTP-Method-Override', 'X-Original-URL', 'Via', 'Pragma'],
  ...['Access-Control-Request-Method', 'If-Modified-Since', 'Content-Language', 'Priority', 'TE'],
];

/** Adds a header, or puts another value into one that is there. */
export const wildLine = (chance: Chance, lines: Lines, marker: string): Lines => {
  switch (chance.from(0, 7)) {
    case 0:
      return [...without(lines, 'Content-Type'), ['Content-Type', chance.among(types)]];
    case 1:
      return without(lines, 'Content-Type');
    case 2:
      return [...lines, ['Content-Encoding', chance.among(['gzip', 'br', 'identity', '', 'x'])]];
    case 3:
      return [...lines, ['Content-Type', chance.among(types)]];
    case 4:
      return [...lines, ...many(chance, marker)];
    case 5:
      // A header given twice.
      return lines.length > 0 ? [...lines, chance.among(lines)] : lines;
    default:
      return [...lines, [chance.among(names), `${chance.among(strange)}`]];
  }
};

const many = (chance: Chance, marker: string): Lines =>
  Array.from({ length: chance.among([20, 90, 150, 300]) }, (_, index) => [
    `X-${index}`,
    chance.happens(0.5) ? marker : 'a',
  ]);

const without = (lines: Lines, name: string) => lines.filter(([one]) => one !== name);

/** Other things to say in the Authorization header; `keys` are real, of the caller or once good. */
export const wildAuthorization = (
  chance: Chance,
  { key, revokedKey, narrowKey }: { key: string; revokedKey: string; narrowKey: string },
): Lines => {
  const changed = `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`;
  const one = (value: string): Lines => [['Authorization', value]];
  return chance.among<Lines>([
    [],
    one(''),
    one('Bearer'),
    one(`Bearer ${revokedKey}`),
    one(`Bearer ${narrowKey}`),
    one(`Bearer ${changed}`),
    one(`Bearer ${key} ${key}`),
    one(`bearer   ${key}`),
    one(`Basic ${btoa(`${key}:`)}`),
    one(key),
    one(`Bearer ${key.toUpperCase()}`),
    one(`Bearer ${key}\x00`),
    one(`Bearer ${'a'.repeat(8_000)}`),
    one("Bearer ' or 1=1 --"),
    [...one(`Bearer ${key}`), ...one(`Bearer ${revokedKey}`)],
    [['X-Api-Key', key]],
    [...one(`Bearer ${key}`), ['X-Request-Id', key]],
    [['Cookie', `authorization=Bearer ${key}`]],
  ]);
};
