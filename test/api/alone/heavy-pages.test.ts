/** What long descriptions weigh: pages and single matters that would not fit into memory beside others. */
import { beforeAll, describe, expect, test } from 'bun:test';
import net from 'node:net';
import { connect, ownDatabase } from '../../support/database.ts';
import { type Caller, caller, comingAgain, type Firm, makeFirm } from '../../support/firm.ts';
import { startInstance } from '../../support/instances.ts';
import { isWhole } from '../../support/whole.ts';

const mebibyte = 1024 * 1024;
const matters = isWhole ? 20 : 8;

const databaseUrl = await ownDatabase();
const instance = await startInstance(databaseUrl);
let heavy: Firm;
let other: Firm;
beforeAll(async () => {
  heavy = await makeFirm({ url: instance.url, databaseUrl });
  other = await makeFirm({ url: instance.url, databaseUrl });
  const least = { practiceAreaId: heavy.practiceAreas.Family?.id, openDate: '2026-02-03' };
  for (let count = 0; count < matters; count += 1) {
    expect((await heavy.owner.post('/v1/matters', least)).status).toBe(201);
  }
  // Sent through the API they would take minutes, and reading them is what is measured.
  const sql = connect(databaseUrl);
  for (let count = 0; count < matters; count += 1) {
    await sql`update matter set description = ${text(count) ?? null}
      where firm_id = ${heavy.id} and ordinal = ${count + 1}`;
  }
  await sql.end();
  await drain('/v1/matters?limit=1', other);
});

/** Among long ones a short one and one without; quotes, line ends, and letters of two units. */
const text = (count: number) => {
  if (count === 3) return undefined;
  if (count === 5) return 'short';
  const line = `${count} "Quill" \\ Rook\n`;
  const start = count % 2 ? `⚖😀${line}` : line;
  return start + line.repeat(Math.ceil((13 * mebibyte - 200) / JSON.stringify(line).length));
};

const as = (firm: Firm): Caller => caller(instance.url, firm.owner.key);

const residentMebibytes = async () => {
  const status = await Bun.file(`/proc/${instance.pid}/status`).text();
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
};

/** By how much the server's memory grows at most while something is done. */
const growth = async (work: () => Promise<unknown>) => {
  const before = await residentMebibytes();
  let max = before;
  const watch = setInterval(async () => {
    max = Math.max(max, await residentMebibytes());
  });
  await work();
  clearInterval(watch);
  return max - before;
};

/** Asks and lets what comes go by; gives the status and how many bytes came. */
const drain = async (path: string, firm: Firm) => {
  const answer = await fetch(instance.url + path, {
    headers: { authorization: `Bearer ${firm.owner.key}` },
  });
  let bytes = 0;
  for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>)
    bytes += piece.byteLength;
  return { status: answer.status, bytes };
};

describe('A page of long descriptions', () => {
  test('grows the server by less than 300 MiB, whatever it weighs, while others are served', async () => {
    const statuses = new Set<number>();
    let isOver = false;
    const beside = async () => {
      while (!isOver) {
        statuses.add((await as(other).get('/v1/matters')).status);
        await Bun.sleep(20);
      }
    };
    const others = beside();
    const grown = await growth(async () => {
      const { status, bytes } = await drain('/v1/matters?limit=100', heavy);
      expect(status).toBe(200);
      expect(bytes).toBeGreaterThan((matters - 2) * 11 * mebibyte);
    });
    expect(grown).toBeLessThan(300);
    const more = Array.from({ length: isWhole ? 4 : 2 }, () =>
      drain('/v1/matters?limit=100', heavy),
    );
    for (const { status } of await Promise.all(more)) expect([200, 429]).toContain(status);
    isOver = true;
    await others;
    expect([...statuses]).toEqual([200]);
  });

  test('has each matter as it reads by itself, in order, with the headers of any page', async () => {
    const page = await as(heavy).get(`/v1/matters?limit=6&offset=${matters - 6}`);
    expect(page.status).toBe(200);
    expect(page.body.pagination).toEqual({ limit: 6, offset: matters - 6, total: matters });
    expect(page.body.data).toHaveLength(6);
    for (const [index, row] of page.body.data.entries()) {
      const written = text(5 - index);
      expect((row.description ?? undefined) === written).toBe(true);
      const { body } = await as(heavy).get(`/v1/matters/${row.id}`);
      const { customFields, unsupportedCustomFields, ...alone } = body.data;
      expect(Bun.deepEquals(alone, row)).toBe(true);
    }
    const light = await as(heavy).get(`/v1/matters?limit=1&offset=${matters - 6}`);
    expect(light.headers.get('content-type')).toBe(page.headers.get('content-type'));
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('link')).toContain('rel="prev"');
    expect(page.headers.get('x-request-id')).not.toBeNull();
  });

  test('is refused, limited and asked for by HEAD as any other', async () => {
    expect((await drain('/v1/matters?limit=0', heavy)).status).toBe(400);
    const head = await fetch(`${instance.url}/v1/matters?limit=100`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${heavy.owner.key}` },
    });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-type')).toStartWith('application/json');
    expect(await head.text()).toBe('');
  });

  test('that nobody reads holds no memory and no turn of others, and its own for a moment', async () => {
    const { hostname, port } = new URL(instance.url);
    const sockets: net.Socket[] = [];
    const grown = await growth(async () => {
      for (let count = 0; count < 8; count += 1) {
        const socket = net.connect(Number(port), hostname, () =>
          socket.write(
            `GET /v1/matters?limit=100 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${heavy.owner.key}\r\n\r\n`,
          ),
        );
        socket.pause();
        socket.on('error', () => {});
        sockets.push(socket);
      }
      await Bun.sleep(2_000);
      expect((await as(other).get('/v1/matters')).status).toBe(200);
    });
    expect(grown).toBeLessThan(300);
    for (const socket of sockets) socket.destroy();
    expect((await comingAgain(as(heavy)).get('/v1/matters?limit=2')).status).toBe(200);
  });
});

describe('A single matter with a long description', () => {
  test('grows the server by less than 300 MiB, many at once too', async () => {
    const [{ id }] = (await as(heavy).get('/v1/matters?limit=1')).body.data;
    const grown = await growth(async () => {
      const asked = Array.from({ length: matters }, () => drain(`/v1/matters/${id}`, heavy));
      const statuses = (await Promise.all(asked)).map(({ status }) => status);
      // On a busy machine some wait for their turn so long that they are told to come again.
      expect(statuses).toContain(200);
      for (const status of statuses) expect([200, 429]).toContain(status);
    });
    expect(grown).toBeLessThan(300);
  });

  test('has an ETag, by which it is read and changed as any other', async () => {
    const [{ id }] = (await as(heavy).get('/v1/matters?limit=1')).body.data;
    const path = `/v1/matters/${id}`;
    const tag = (await as(heavy).get(path)).headers.get('etag') ?? '';
    expect(tag).toMatch(/^".+"$/);
    const known = await as(heavy).get(path, { 'if-none-match': tag });
    expect([known.status, known.body]).toEqual([304, undefined]);
    expect((await as(heavy).get(path, { 'if-none-match': '"other"' })).status).toBe(200);
    const changed = await as(heavy).patch(path, { title: 'Quill v. Rook' }, { 'if-match': tag });
    expect(changed.status).toBe(200);
    expect((await as(heavy).get(path)).headers.get('etag')).toBe(changed.headers.get('etag'));
    const late = await as(heavy).patch(path, { title: 'Rook' }, { 'if-match': tag });
    expect(late.status).toBe(412);
    const deleted = await as(other).get(path);
    expect(deleted.status).toBe(404);
  });
});
