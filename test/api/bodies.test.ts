import { beforeAll, describe, expect, test } from 'bun:test';
import { resources } from '../../src/contents.ts';
import { makeOne } from '../support/actions.ts';
import { expectRefusal, totalOf } from '../support/expectations.ts';
import { type Firm, makeFirm, startTestServer } from '../support/firm.ts';
import { inChunks, type Lines, sendRaw } from '../support/raw.ts';
import { type Sample, samples } from '../support/samples.ts';

const server = await startTestServer();
const customFields = [{ on: 'lead', name: 'Note', type: 'TEXT' }];

/** Words of the caller that no message may repeat. */
const secret = 'Xyzzy';
const good = JSON.stringify({ lastName: secret });

let firm: Firm;
beforeAll(async () => {
  firm = await makeFirm(server, { customFields });
});

const bytesOf = (body: string | Uint8Array) =>
  typeof body === 'string' ? Buffer.from(body) : body;

/** Sends bytes with exactly these headers, its length beside. */
const post = (body: string | Uint8Array, lines: Lines = [['Content-Type', 'application/json']]) =>
  sendRaw(
    server.url,
    'POST /v1/leads',
    [
      ['Authorization', `Bearer ${firm.owner.key}`],
      ['Content-Length', String(bytesOf(body).byteLength)],
      ...lines,
    ],
    bytesOf(body),
  );

const total = async () => (await firm.owner.get('/v1/leads')).body.pagination.total;
const contacts = async () => (await firm.owner.get('/v1/contacts')).body.pagination.total;

type Sent = { name: string; body: string | Uint8Array; lines?: Lines };

/** Each is refused, repeats nothing of what was sent, and leaves neither a lead nor a contact. */
const expectRefused = async (
  { name, body, lines }: Sent,
  code = 'invalid_request',
  status = 400,
) => {
  const before = [await total(), await contacts()];
  const answer = await post(body, lines);
  expect({ name, status: answer.status, code: answer.body?.error?.code }).toEqual({
    name,
    status,
    code,
  });
  expectRefusal(answer, status, code);
  expect(answer.body.error.message).not.toContain(secret);
  expect(answer.headers.get('content-type')).toContain('application/json');
  expect([await total(), await contacts()]).toEqual(before);
};

const expectTaken = async ({ name, body, lines }: Sent) => {
  const answer = await post(body, lines);
  expect({ name, status: answer.status, body: answer.body }).toMatchObject({ name, status: 201 });
  return answer.body.data;
};

describe('Requests with a body send Content-Type: application/json', () => {
  test('other content types, and none, are refused', async () => {
    for (const type of [
      ...['text/plain', 'text/json', 'application/x-www-form-urlencoded', 'multipart/form-data'],
      ...['application/problem+json', 'application/merge-patch+json', 'application/jsonx'],
      ...['application/json, text/plain', 'application json', '*/*', 'json', '', ';'],
      ...['application/json; charset=utf-16', 'application/json; charset=latin1'],
      ...[
        'application/json; charset=iso-8859-1',
        'application/json;charset=',
        '"application/json"',
      ],
    ]) {
      await expectRefused({ name: type, body: good, lines: [['Content-Type', type]] });
    }
    await expectRefused({ name: 'none', body: good, lines: [] });
    const form = `lastName=${secret}`;
    for (const type of ['application/x-www-form-urlencoded', 'application/json']) {
      await expectRefused({ name: type, body: form, lines: [['Content-Type', type]] });
    }
  });

  test('its case and its parameters are ignored, so is charset=utf-8', async () => {
    for (const type of [
      ...['application/json', 'APPLICATION/JSON', 'Application/Json ; charset=UTF-8'],
      ...['application/json;charset=utf-8', 'application/json; charset="utf-8"'],
      ...['application/json;', 'application/json; version=1', 'application/json;json'],
    ]) {
      await expectTaken({ name: type, body: good, lines: [['Content-Type', type]] });
    }
  });

  test('an encoded body is refused, with and without such bytes', async () => {
    const bomb = Bun.gzipSync(Buffer.alloc(10_000_000, 0x20));
    for (const coding of ['gzip', 'br', 'deflate', 'zstd', 'x-gzip', 'gzip, identity', 'foo']) {
      for (const body of [good, Bun.gzipSync(Buffer.from(good)), bomb]) {
        const lines: Lines = [
          ['Content-Type', 'application/json'],
          ['Content-Encoding', coding],
        ];
        await expectRefused({ name: coding, body, lines });
      }
    }
    await expectRefused({ name: 'gzip unsaid', body: Bun.gzipSync(Buffer.from(good)) });
    await expectTaken({
      name: 'identity',
      body: good,
      lines: [
        ['Content-Type', 'application/json'],
        ['Content-Encoding', 'identity'],
      ],
    });
  });

  test('a body on GET and DELETE is ignored', async () => {
    const { id } = await expectTaken({ name: 'a lead', body: good });
    const lines: Lines = [
      ['Authorization', `Bearer ${firm.owner.key}`],
      ['Content-Type', 'text/plain'],
      ['Content-Length', '7'],
    ];
    const body = Buffer.from('{"brok!');
    const read = await sendRaw(server.url, `GET /v1/leads/${id}`, lines, body);
    expect(read.status).toBe(200);
    const deleted = await sendRaw(server.url, `DELETE /v1/leads/${id}`, lines, body);
    expect(deleted.status).toBe(200);
    expect(deleted.body).toEqual({ data: { id, deleted: true } });
  });
});

describe('All request bodies are JSON', () => {
  const utf16 = (text: string) => Buffer.from(text, 'utf16le');

  test('what is not one JSON text is refused', async () => {
    for (const body of [
      ...[
        '',
        ' ',
        '\n\t ',
        '{',
        '}',
        '[',
        '{]',
        `{"lastName":"${secret}"`,
        `${good} x`,
        good + good,
      ],
      ...[
        `${good},`,
        `{'lastName':'${secret}'}`,
        `{lastName:"${secret}"}`,
        `{"lastName":"${secret}",}`,
      ],
      ...[`/* ${secret} */ ${good}`, `${good} // ${secret}`, `{"lastName":${secret}}`],
      ...[
        '{"lastName":"a","x":NaN}',
        '{"lastName":"a","x":Infinity}',
        '{"lastName":"a","x":-Infinity}',
      ],
      ...['{"lastName":"a","x":0x10}', '{"lastName":"a","x":01}', '{"lastName":"a","x":+1}'],
      ...['{"lastName":"a","x":.5}', '{"lastName":"a","x":5.}', '{"lastName":"a","x":undefined}'],
      ...[
        '{"lastName":"a","x":True}',
        '{"lastName":"a\nb"}',
        '{"lastName":"a\tb"}',
        '{"lastName":"\\x41"}',
      ],
      ...['{"lastName":"\\u12"}', '{"lastName":"a"b"}', 'lastName=a', '<lead/>', 'null null', '\0'],
    ]) {
      await expectRefused({ name: body, body });
    }
  });

  test('what is JSON and not an object is refused', async () => {
    for (const body of [
      'null',
      'true',
      'false',
      '1',
      '-0',
      '1.5',
      `"${secret}"`,
      '[]',
      `[${good}]`,
    ]) {
      await expectRefused({ name: body, body });
    }
  });

  test('what is not UTF-8 is refused: UTF-16, Latin 1, overlong, truncated, surrogates, a byte order mark', async () => {
    const named = (bytes: number[]) =>
      Buffer.concat([Buffer.from('{"lastName":"a'), Buffer.from(bytes), Buffer.from('"}')]);
    for (const [name, body] of Object.entries({
      'UTF-16': utf16(good),
      'UTF-16 with a mark': Buffer.concat([Buffer.from([0xff, 0xfe]), utf16(good)]),
      'UTF-8 with a mark': Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(good)]),
      'Latin 1': named([0xe9]),
      'a lone continuation': named([0x80]),
      'overlong slash': named([0xc0, 0xaf]),
      'overlong NUL': named([0xc0, 0x80]),
      'overlong in three': named([0xe0, 0x80, 0xaf]),
      'overlong in four': named([0xf0, 0x80, 0x80, 0xaf]),
      'truncated in two': named([0xc3]),
      'truncated in three': named([0xe2, 0x82]),
      'truncated in four': named([0xf0, 0x9f, 0x98]),
      'truncated at the end': Buffer.concat([Buffer.from('{"lastName":"a'), Buffer.from([0xe2])]),
      'a high surrogate': named([0xed, 0xa0, 0x80]),
      'a low surrogate': named([0xed, 0xbf, 0xbf]),
      'past U+10FFFF': named([0xf4, 0x90, 0x80, 0x80]),
      'five bytes': named([0xf8, 0x88, 0x80, 0x80, 0x80]),
      '0xFF': named([0xff]),
      'broken in a key': Buffer.from([
        ...Buffer.from('{"lastName":"a","'),
        0xff,
        ...Buffer.from('":1}'),
      ]),
    })) {
      await expectRefused({ name, body });
    }
  });

  test('every character that Postgres can store is kept as sent', async () => {
    const lastName = 'é€😀\u{10ffff}\uffff\u202e\u2028"\\\u007f\u0001z';
    const { id, contact } = await expectTaken({ name: 'all', body: JSON.stringify({ lastName }) });
    expect(contact.name).toBe(lastName);
    expect((await firm.owner.get(`/v1/leads/${id}`)).body.data.contact.name).toBe(lastName);
  });

  test('NUL and half a surrogate pair are refused in every text, in keys and inside customFields', async () => {
    for (const bad of [
      '\\u0000',
      'a\\u0000b',
      '\\ud800',
      '\\udc00',
      '\\udc00\\ud800',
      'a\\udbff',
    ]) {
      for (const body of [
        `{"lastName":"${secret}${bad}"}`,
        `{"lastName":"${bad}${secret}"}`,
        `{"lastName":"a","email":"${secret}${bad}"}`,
        `{"lastName":"a","${secret}${bad}":1}`,
        `{"lastName":"a","unknown":"${secret}${bad}"}`,
        `{"lastName":"a","unknown":{"deep":["${secret}${bad}"]}}`,
        `{"lastName":"a","unknown":[{"${secret}${bad}":1}]}`,
        `{"lastName":"a","leadStageColumnId":"${secret}${bad}"}`,
        `{"lastName":"a","customFields":{"Note":"${secret}${bad}"}}`,
        `{"lastName":"a","customFields":{"${secret}${bad}":"x"}}`,
        `{"lastName":"a","customFields":{"Note":["${secret}${bad}"]}}`,
        `{"lastName":"a","customFields":"${secret}${bad}"}`,
      ]) {
        await expectRefused({ name: body, body });
      }
    }
  });

  test('nesting: 32 levels are read, more are refused, however many and however fast', async () => {
    const arrays = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    // The body's own object is the first level.
    const within = (inner: string) => `{"lastName":"a","x":${inner}}`;
    for (const depth of [31, 32]) {
      await expectTaken({ name: `arrays ${depth}`, body: within(arrays(depth - 1)) });
      await expectTaken({ name: `objects ${depth}`, body: within(objects(depth - 1)) });
    }
    const started = performance.now();
    for (const depth of [33, 5_000, 100_000]) {
      await expectRefused({ name: `arrays ${depth}`, body: within(arrays(depth - 1)) });
      await expectRefused({ name: `objects ${depth}`, body: within(objects(depth - 1)) });
      await expectRefused({ name: `bare arrays ${depth}`, body: arrays(depth) });
      await expectRefused({ name: `unclosed ${depth}`, body: `{"x":${'['.repeat(depth)}` });
    }
    await expectRefused({ name: '200,000', body: within(arrays(200_000)) });
    await expectRefused({ name: '200,000', body: within('['.repeat(200_000)) });
    expect(performance.now() - started).toBeLessThan(60_000);
    await expectRefused({
      name: 'in customFields',
      body: `{"lastName":"a","customFields":${objects(32)}}`,
    });
  });

  test('braces inside a text are no nesting', async () => {
    const lastName = '[{'.repeat(60);
    const { contact } = await expectTaken({ name: 'text', body: JSON.stringify({ lastName }) });
    expect(contact.name).toBe(lastName);
    const tricky = `{"lastName":"a\\\\","x":"\\"${'['.repeat(60)}"}`;
    await expectTaken({ name: 'escapes', body: tricky });
    await expectRefused({ name: 'escapes', body: `{"lastName":"a\\\\","x":${'['.repeat(60)}"}` });
  });

  test('a number beyond what a number can be is refused; odd spellings of small ones are numbers', async () => {
    for (const number of ['1e400', '-1e400', '1e999999']) {
      await expectRefused({ name: number, body: `{"lastName":"a","x":${number}}` });
      await expectRefused({ name: number, body: `{"lastName":"a","x":{"y":[${number}]}}` });
      await expectRefused({
        name: number,
        body: `{"lastName":"a","customFields":{"Note":${number}}}`,
      });
    }
    for (const number of ['-0', '1E5', '1e-400', '0.1', '123456789012345678901234567890']) {
      await expectTaken({ name: number, body: `{"lastName":"a","x":${number}}` });
    }
  });

  test('of a key that is sent twice the last counts', async () => {
    const { contact } = await expectTaken({
      name: 'twice',
      body: '{"lastName":5,"lastName":"Last"}',
    });
    expect(contact.name).toBe('Last');
    await expectRefused({ name: 'twice', body: `{"lastName":"${secret}","lastName":5}` });
  });

  test('nearly 20,000 keys, and a key of half a mebibyte, are only unknown fields', async () => {
    const many = Object.fromEntries(Array.from({ length: 19_997 }, (_, index) => [`k${index}`, 1]));
    await expectTaken({ name: 'many', body: JSON.stringify({ lastName: 'a', ...many }) });
    const long = { lastName: 'a', ['k'.repeat(524_288)]: 1 };
    await expectTaken({ name: 'long', body: JSON.stringify(long) });
    const { k0, ...fewer } = many;
    const { body } = await firm.owner.post('/v1/leads', { lastName: 'a', customFields: fewer });
    expect(body.error.code).toBe('invalid_custom_field');
  });

  test('more than 20,000 values are refused, wherever they stand', async () => {
    for (const [name, value] of Object.entries({
      zeros: Array(20_000).fill(0),
      lists: Array(10_000).fill([]),
      fields: Object.fromEntries(Array.from({ length: 19_999 }, (_, index) => [`k${index}`, 1])),
    })) {
      await expectRefused({ name, body: JSON.stringify({ lastName: secret, other: value }) });
    }
    const commas = { lastName: ','.repeat(100), other: '[{,'.repeat(30_000) };
    await expectTaken({ name: 'within a text', body: JSON.stringify(commas) });
  });
});

describe('Unknown body fields are ignored, nothing is coerced', () => {
  test('status, name, id and number on a lead do nothing', async () => {
    const sent = {
      lastName: 'Quill',
      status: 'HIRED',
      name: secret,
      id: 'mine',
      publicId: 'L-9999',
      contact: { id: 'mine', name: secret },
      contactId: 'mine',
      createdAt: '1999-01-01',
      firmId: 'mine',
      deletedAt: '1999-01-01',
      unsupportedCustomFields: [1],
      data: {},
    };
    const made = await expectTaken({ name: 'create', body: JSON.stringify(sent) });
    expect(made).toMatchObject({ status: 'ACTIVE', contact: { name: 'Quill' } });
    expect(made.publicId).not.toBe('L-9999');
    const { status, body } = await firm.owner.patch(`/v1/leads/${made.id}`, sent);
    expect(status).toBe(200);
    expect(body.data).toEqual(made);
    expect((await firm.owner.get(`/v1/leads/${made.id}`)).body.data).toEqual(made);
  });

  test('names of the language are ordinary names: ignored in a body, unknown in customFields', async () => {
    for (const name of [
      ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'then'],
      ...['length', '', '__defineGetter__', 'toJSON', 'nOte', 'Note ', 'NOTE'],
    ]) {
      const inner = `${JSON.stringify(name)}:{"firstName":"${secret}","isPrivate":true}`;
      const made = await expectTaken({ name, body: `{"lastName":"a",${inner}}` });
      expect(made).toMatchObject({
        isPrivate: false,
        contact: { name: 'a' },
        customFields: { Note: null },
      });
      for (const value of ['{"Note":"x"}', `"${secret}"`, 'null']) {
        const body = `{"lastName":"a","customFields":{${JSON.stringify(name)}:${value}}}`;
        await expectRefused({ name: body, body }, 'invalid_custom_field');
      }
    }
    expect(({} as Record<string, unknown>).firstName).toBeUndefined();
    expect(({} as Record<string, unknown>).Note).toBeUndefined();
  });

  test('a value of another type is refused by the field, not converted', async () => {
    for (const field of [
      'firstName',
      'email',
      'companyType',
      'practiceAreaId',
      'leadStageColumnId',
      'value',
      'type',
    ]) {
      for (const value of [5, 0, true, false, [], ['a'], {}, null]) {
        const body = JSON.stringify({ lastName: 'a', [field]: value });
        const answer = await post(body);
        expectRefusal(answer, 400, 'invalid_request', field);
        await expectRefused({ name: body, body });
      }
    }
    for (const value of ['true', 'false', '', 1, 0, null, [], {}]) {
      expectRefusal(
        await post(JSON.stringify({ lastName: 'a', isPrivate: value })),
        400,
        'invalid_request',
        'isPrivate',
      );
    }
    for (const value of ['{}', 5, true, null, []]) {
      const body = JSON.stringify({ lastName: 'a', customFields: value });
      await expectRefused({ name: body, body });
    }
  });
});

describe.each(resources)('On $name, create and update alike', ({ name, bodyLimitBytes }) => {
  test('what is no JSON object of sane texts is refused, and changes nothing', async () => {
    const id = await makeOne(firm, name);
    const sample = samples[name] as Sample;
    const { key } = firm.owner;
    const read = async () => (await firm.owner.get(`/v1/${name}/${id}`)).body;
    const [before, count] = [await read(), await totalOf(firm.owner.get(await sample.list(firm)))];
    const json: Lines = [['Content-Type', 'application/json']];
    const good = await sample.create(firm);
    const whole = (more: object) => JSON.stringify({ ...good, ...more });
    const bad: [string | Uint8Array, Lines][] = [
      ...['', ' ', '{', '[]', 'null', 'true', '5', '"x"', `${whole({})} x`].map(
        (body): [string, Lines] => [body, json],
      ),
      [whole({}), [['Content-Type', 'text/plain']]],
      [whole({}), []],
      [whole({}), [...json, ['Content-Encoding', 'gzip']]],
      [Buffer.from(whole({}), 'utf16le'), json],
      [Buffer.from([...Buffer.from('{"x":"'), 0xff, ...Buffer.from('"}')]), json],
      [whole({ x: '\0' }), json],
      [whole({ x: '\ud800' }), json],
      [whole({ '\0': 1 }), json],
      [whole({}).replace('{', '{"x":1e400,'), json],
      [`{"x":${'['.repeat(32)}${']'.repeat(32)}}`, json],
      [`{"x":${'['.repeat(200_000)}`, json],
      [JSON.stringify({ ...(await sample.create(firm)), ...sample.misshapen }), json],
    ];
    for (const requestLine of [`POST /v1/${name}`, `PATCH /v1/${name}/${id}`]) {
      for (const [body, lines] of bad) {
        const bytes = bytesOf(body);
        const answer = await sendRaw(
          server.url,
          requestLine,
          [
            ['Authorization', `Bearer ${key}`],
            ['Content-Length', String(bytes.byteLength)],
            ...lines,
          ],
          bytes,
        );
        expectRefusal(answer, 400, 'invalid_request');
      }
      const over = await sendRaw(server.url, requestLine, [
        ['Authorization', `Bearer ${key}`],
        ...json,
        ['Content-Length', String(bodyLimitBytes + 1)],
      ]);
      const limit = `${bodyLimitBytes / 1024 / 1024} MiB`;
      expectRefusal(over, 413, 'payload_too_large', limit);
      expect(bodyLimitBytes).toBe((name === 'matters' ? 16 : 1) * 1024 * 1024);
    }
    expect(await read()).toEqual(before);
    expect(await totalOf(firm.owner.get(await sample.list(firm)))).toBe(count);
  });
});

describe('A body is at most 1 MiB: 413 payload_too_large', () => {
  const mebibyte = 1024 * 1024;
  const ofLength = (bytes: number) => {
    const start = '{"lastName":"a","x":"';
    return `${start}${'x'.repeat(bytes - start.length - 2)}"}`;
  };
  const chunked = (body: string) =>
    sendRaw(
      server.url,
      'POST /v1/leads',
      [
        ['Authorization', `Bearer ${firm.owner.key}`],
        ['Content-Type', 'application/json'],
        ['Transfer-Encoding', 'chunked'],
      ],
      inChunks(body),
    );

  test('to the byte, whether its length is said or not', async () => {
    const before = await total();
    for (const length of [mebibyte - 1, mebibyte]) {
      await expectTaken({ name: String(length), body: ofLength(length) });
      expect((await chunked(ofLength(length))).status).toBe(201);
    }
    expect(await total()).toBe(before + 4);
    const over = ofLength(mebibyte + 1);
    await expectRefused({ name: 'over', body: over }, 'payload_too_large', 413);
    expectRefusal(await chunked(over), 413, 'payload_too_large', '1 MiB');
    expect(await total()).toBe(before + 4);
  });

  test('characters of several bytes count by their bytes', async () => {
    const body = JSON.stringify({ lastName: 'a', x: '€'.repeat(mebibyte / 3) });
    expect(body.length).toBeLessThan(mebibyte);
    await expectRefused({ name: 'three bytes each', body }, 'payload_too_large', 413);
  });

  test('far more than that is refused in the envelope too, and so on every resource', async () => {
    // Not more than the socket takes at once: an answer that comes while it is being sent is a race.
    for (const length of [mebibyte + 1, 2 * mebibyte]) {
      await expectRefused(
        { name: String(length), body: ofLength(length) },
        'payload_too_large',
        413,
      );
    }
    for (const path of ['/v1/contacts', '/v1/practice-areas']) {
      const answer = await firm.owner.post(path, ofLength(mebibyte + 1));
      expectRefusal(answer, 413, 'payload_too_large', '1 MiB');
    }
  });

  test('a length of gigabytes is refused before it is sent', async () => {
    const answer = await sendRaw(server.url, 'POST /v1/leads', [
      ['Authorization', `Bearer ${firm.owner.key}`],
      ['Content-Type', 'application/json'],
      ['Content-Length', '5368709120'],
    ]);
    expectRefusal(answer, 413, 'payload_too_large', '1 MiB');
  });
});
