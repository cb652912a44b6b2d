import { describe, expect, test } from 'bun:test';
import net from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '../../src/config.ts';
import { atEnd } from '../support/at-end.ts';
import {
  addressOf,
  asksForPasswords,
  connect,
  emptyDatabase,
  sharedDatabase,
} from '../support/database.ts';
import { expectSentence, run, runJson } from '../support/terminal.ts';

const databaseUrl = await sharedDatabase();

/** The tests' Postgres at a port of its own, wherever it is: for what a socket file cannot have. */
const forwardedAt = async (host: string) => {
  const address = readSettings({ DATABASE_URL: databaseUrl }).database ?? '';
  const there = () => {
    if (typeof address !== 'string') return net.connect({ path: address.path });
    const { hostname, port } = new URL(address);
    return net.connect({ host: hostname, port: Number(port || 5432) });
  };
  const server = net.createServer((one) => {
    const other = there();
    for (const socket of [one, other]) socket.on('error', () => socket.destroy());
    one.pipe(other).pipe(one);
  });
  await new Promise<void>((listening) => server.listen(0, host, listening));
  atEnd(async () => void server.close());
  return (server.address() as net.AddressInfo).port;
};

/** An address with other parts, for example another host. */
const withParts = (url: string, authority: string, search = '') => {
  const { username, password, pathname } = new URL(url);
  return `postgres://${username}:${password}@${authority}${pathname}${search}`;
};

const list = (url: string) => run(url, ['firm', 'list']);

describe('A wrong DATABASE_URL is named in one sentence', () => {
  test('a parameter that Postgres does not know, or a value that it does not take', async () => {
    const port = await forwardedAt('127.0.0.1');
    const at = (search: string) => list(withParts(databaseUrl, `127.0.0.1:${port}`, `?${search}`));
    for (const search of [
      ...['foo=bar', 'schema=public', 'pgbouncer=true', 'sslrootcert=/x'],
      ...['DateStyle=never', 'statement_timeout=soon'],
    ]) {
      const ran = await at(search);
      expectSentence(ran, 'DATABASE_URL has a parameter after its `?` that Postgres does not');
    }
    expect(await at('lock_timeout=1000')).toMatchObject({ exitCode: 0, err: '' });
  });

  test('signs in user or password that are written with a %, and how', async () => {
    for (const [part, sentence] of [
      ['mh:se%zz', 'DATABASE_URL holds a % that begins no code'],
      ['mh:50%', 'DATABASE_URL holds a % that begins no code'],
      ['mh:se/cret', 'DATABASE_URL must be an address'],
      ['mh:se#cret', 'DATABASE_URL must be an address'],
      ['mh:1/cret', 'The host in DATABASE_URL is not known'],
    ] as const) {
      const ran = await list(`postgres://${part}@127.0.0.1:1/mh`);
      expectSentence(ran, sentence);
      expectSentence(ran, '/ is written %2F, # is %23, ? is %3F, @ is %40 and % itself is %25');
      expect(ran.err).not.toContain('cret');
    }
  });

  test('a password with every such sign is taken when it is written so; an @ also as it is', async () => {
    const sql = connect(databaseUrl);
    const name = `odd_${Bun.randomUUIDv7().replaceAll('-', '')}`;
    await sql.unsafe(`create role ${name} login password 'a/b#c?d@e%f:g'`);
    const own = await emptyDatabase();
    await sql.unsafe(`alter database ${new URL(own).pathname.slice(1)} owner to ${name}`);
    const { host, pathname } = new URL(own);
    for (const password of ['a%2Fb%23c%3Fd%40e%25f:g', 'a%2Fb%23c%3Fd@e%25f:g']) {
      const ran = await list(`postgres://${name}:${password}@${host}${pathname}`);
      expect({ password, ...ran }).toMatchObject({ password, exitCode: 0, err: '' });
    }
    if (await asksForPasswords(sql)) {
      const wrong = await list(`postgres://${name}:a@${host}${pathname}`);
      expectSentence(wrong, 'refuses this user or password. Correct the address; in user and');
    }
    // Also a server that asks for no password knows who may come.
    const unknown = await list(`postgres://${name}_:a@${host}${pathname}`);
    expectSentence(unknown, 'refuses this user');
    await sql.unsafe(`alter database ${pathname.slice(1)} owner to current_user`);
    await sql.unsafe(`reassign owned by ${name} to current_user`);
    const inside = connect(own);
    await inside.unsafe(`reassign owned by ${name} to current_user`);
    await inside.unsafe(`drop owned by ${name}; drop role ${name}`);
    await Promise.all([inside.end(), sql.end()]);
  });

  test('TLS that the server does not offer, and a mode that there is not', async () => {
    const port = await forwardedAt('127.0.0.1');
    const at = (search: string) => list(withParts(databaseUrl, `127.0.0.1:${port}`, search));
    for (const search of ['?sslmode=require', '?sslmode=verify-full', '?ssl=true']) {
      expectSentence(await at(search), 'The server at DATABASE_URL offers no TLS.');
    }
    for (const search of ['?sslmode=disable', '?sslmode=prefer', '']) {
      expect(await at(search)).toMatchObject({ exitCode: 0, err: '' });
    }
    expectSentence(await at('?sslmode=foo'), 'In DATABASE_URL sslmode must be disable, prefer,');
    expectSentence(await at('?ssl=yes'), 'In DATABASE_URL ssl must be disable, prefer,');
  });

  test('TLS with a certificate that nobody has vouched for', async () => {
    const pem = await Bun.file(join(import.meta.dir, '../support/self-signed.pem')).text();
    const tls = { key: pem, cert: pem };
    const secured = Bun.listen({ hostname: '127.0.0.1', port: 0, tls, socket: { data() {} } });
    const server = net.createServer((one) => {
      const other = net.connect({ host: '127.0.0.1', port: secured.port });
      for (const socket of [one, other]) socket.on('error', () => socket.destroy());
      // Asked for TLS, it says yes before it speaks it.
      one.once('data', () => {
        one.write('S');
        one.pipe(other).pipe(one);
      });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as net.AddressInfo;
    const ran = await list(`postgres://mh@localhost:${port}/mh?sslmode=verify-full`);
    expectSentence(
      ran,
      'The certificate of the server at DATABASE_URL is not trusted, or is for another host',
    );
    server.close();
    secured.stop(true);
  });

  const hasVersion6 = Object.values(networkInterfaces())
    .flat()
    .some((one) => one?.address === '::1');

  test.skipIf(!hasVersion6)('an IPv6 address is no wrong one', async () => {
    const port = await forwardedAt('::1');
    const ran = await list(withParts(databaseUrl, `[::1]:${port}`));
    expect(ran).toMatchObject({ exitCode: 0, err: '' });
    expectSentence(await list(withParts(databaseUrl, '[::1]:1')), 'No database answers');
  });

  test('a database of something else is left as it is', async () => {
    const own = await emptyDatabase();
    const sql = connect(own);
    await sql`create table contact (mine text)`;
    const sentence = 'holds something else. Nothing in it was changed.';
    expectSentence(await list(own), sentence);
    const schemas = await sql`select nspname from pg_namespace where nspname = 'drizzle'`;
    expect(schemas).toHaveLength(0);
    await sql`drop table contact`;
    await sql.end();
    expect(await runJson<unknown[]>(own, ['firm', 'list'])).toEqual([]);
  });

  test('a database that cannot store every name is refused at once, also by the doctor and a restore', async () => {
    const url = await emptyDatabase();
    const name = new URL(url).pathname.slice(1);
    const sql = connect(databaseUrl);
    await sql.unsafe(`drop database ${name}`);
    await sql.unsafe(
      `create database ${name} encoding 'LATIN1' locale 'C' locale_provider libc template template0`,
    );
    await sql.end();
    const sentence = 'The encoding of this database is LATIN1, in which not every name';
    for (const words of [
      ['firm', 'list'],
      ['serve', '--port', '0'],
      ['backup', '/tmp/none'],
    ]) {
      expectSentence(await run(addressOf(name), words), sentence);
    }
    const { exitCode, out } = await run(url, ['doctor']);
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: expect.stringContaining(sentence) });
    const inside = connect(url);
    expect(await inside`select from pg_tables where schemaname = 'public'`).toHaveLength(0);
    await inside.end();
  });
});
