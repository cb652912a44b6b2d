/**
 * Bodies that are expensive to read, one at a time, and how long they block the server's event
 * loop.
 */
import { median } from '../bench/load.ts';
import type { Meter } from './meters.ts';
import type { Seen } from './seen.ts';
import type { MarkedFirm } from './stage.ts';

const mebibyte = 1024 * 1024;

type Body = { name: string; make(bytes: number): string | Uint8Array<ArrayBuffer> };

// A body may hold 20,000 values (api/body.ts).
const maxValues = 19_900;

/** As many entries as a body may hold, or as there is room for; the rest is white space. */
const filled =
  (start: string, one: (index: number) => string, end: string, values = 1, max = maxValues) =>
  (bytes: number) => {
    const parts = [start];
    let length = start.length + end.length;
    for (let index = 0; index * values < max; index += 1) {
      const part = (index === 0 ? '' : ',') + one(index);
      length += part.length;
      if (length > bytes) break;
      parts.push(part);
    }
    return (parts.join('') + end).padEnd(bytes);
  };
const within = (start: string, fill: string, end: string) => (bytes: number) =>
  start + fill.repeat(Math.floor((bytes - start.length - end.length) / fill.length)) + end;

/** Bodies of the size asked for, each but for one thing right for any resource. */
const bodiesFor = (practiceAreaId: string): Body[] => {
  const name = `{"lastName":"Quill","openDate":"2026-02-03","practiceAreaId":"${practiceAreaId}",`;
  return [
    { name: 'one long text', make: within(`${name}"firstName":"`, 'a', '"}') },
    { name: 'a long text that is ignored', make: within(`${name}"other":"`, 'a', '"}') },
    { name: 'emoji', make: (bytes) => within(`${name}"email":"`, '😀', '"}')(bytes / 2) },
    { name: 'escapes', make: within(`${name}"description":"`, '\\u00e9', '"}') },
    { name: 'backslashes', make: within(`${name}"phone":"`, '\\\\', '"}') },
    { name: 'white space', make: within(name, ' ', '"a":1}') },
    { name: 'many unknown fields', make: filled(name, (at) => `"k${at}":1`, '}') },
    { name: 'one field again and again', make: filled(name, () => '"a":1', '}') },
    {
      name: 'many custom fields',
      make: filled(`${name}"customFields":{`, (at) => `"k${at}":1`, '}}'),
    },
    { name: 'a list of zeros', make: filled(`${name}"customFields":{"a":[`, () => '0', ']}}') },
    { name: 'a list of lists', make: filled(`${name}"other":[`, () => '[]', ']}', 2) },
    { name: 'a list of objects', make: filled(`${name}"emails":[`, () => '{}', ']}', 2) },
    { name: 'many addresses', make: filled(`${name}"emails":[`, (at) => `"${at}"`, ']}') },
    { name: 'many clients', make: filled(`${name}"clientContactIds":[`, (at) => `"${at}"`, ']}') },
    { name: 'a large team', make: filled(`${name}"team":[`, () => '{"memberId":"a"}', ']}', 2) },
    { name: 'wrong in every place', make: filled(`${name}"team":[`, () => '1', ']}') },
    {
      name: 'objects 30 deep',
      make: filled(
        `${name}"customFields":{"a":[`,
        () => `${'{"a":'.repeat(28)}1${'}'.repeat(28)}`,
        ']}}',
        29,
      ),
    },
    {
      name: 'many long field names',
      make: filled(name, (at) => `"k${at}${'x'.repeat(40)}":"${at}"`, '}'),
    },
    {
      name: 'more fields than a body may hold',
      make: filled(name, (at) => `"k${at}":1`, '}', 1, Number.POSITIVE_INFINITY),
    },
    {
      name: 'more lists than a body may hold',
      make: filled(`${name}"other":[`, () => '[]', ']}', 2, Number.POSITIVE_INFINITY),
    },
    { name: 'nested without end', make: within('', '[', '') },
    { name: 'one huge number', make: within(`${name}"value":`, '9', '}') },
    { name: 'a long fraction', make: within(`${name}"value":0.`, '1', '}') },
    { name: 'many huge numbers', make: filled(`${name}"other":[`, () => '1e999', ']}') },
    { name: 'no JSON at the very end', make: within(`${name}"a":"`, 'a', '"]') },
    {
      name: 'broken UTF-8 at the very end',
      make: (bytes) =>
        Buffer.concat([
          Buffer.from(within(`${name}"a":"`, 'a', '')(bytes - 1)),
          Buffer.from([0xff]),
        ]),
    },
  ];
};

export type Block = { name: string; status: string; median: number; longest: number };

/**
 * Sends each body this often and measures the longest wait of a ping at the same time. On a busy
 * machine a server also waits for a processor. That does not count: the event loop is blocked at
 * most as long as its main thread computed.
 */
export const measureBlocks = async (
  url: string,
  { path, bytes, times }: { path: string; bytes: number; times: number },
  { key, ids }: MarkedFirm,
  { pings, seen }: { pings: Meter; seen: Seen },
): Promise<Block[]> => {
  const blocks: Block[] = [];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  for (const { name, make } of bodiesFor(ids['practice-areas']?.[0] ?? '')) {
    const body = make(bytes);
    const waits: number[] = [];
    const statuses = new Set<number>();
    for (let count = 0; count < times; count += 1) {
      await pings.take();
      const before = await seen.computed();
      const answer = await fetch(url + path, { method: 'POST', headers, body });
      await answer.arrayBuffer();
      await Bun.sleep(25);
      const { longest } = await pings.take();
      const after = await seen.computed();
      const computed = (after ?? Number.POSITIVE_INFINITY) - (before ?? 0);
      waits.push(Math.min(longest, computed));
      statuses.add(answer.status);
    }
    const status = [...statuses].join(', ');
    blocks.push({ name, status, median: median(waits), longest: Math.max(...waits) });
  }
  return blocks.sort((one, other) => other.median - one.median);
};

export const sizes = { usual: mebibyte - 1, matters: 16 * mebibyte - 1 };
