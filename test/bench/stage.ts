/** What the benchmarks share: a database of their own, programs on it, and firms stored in bulk. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { startEmbedded } from '../../src/postgres/embedded/embedded.ts';
import { blockSize } from '../../src/record/register.ts';
import { runJson } from '../support/terminal.ts';

/** Sets up a durable embedded Postgres in a folder that goes when `clear` is called. */
export const setStage = async () => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'matterhorn-bench-'));
  const embedded = await startEmbedded({ dataDirectory, say: () => {}, onGaveUp: console.error });
  const { path, username, password, database } = embedded.address;
  const folder = encodeURIComponent(path.slice(0, path.lastIndexOf('/')));
  const url = `postgres://${username}:${encodeURIComponent(password)}@${folder}/${database}`;
  const started: { kill(): void }[] = [];

  /** Starts a program and gives the address it prints. */
  const start = async (cmd: string[]) => {
    const quiet = { RATE_LIMIT: 'off', NODE_ENV: 'production', MATTERHORN_LOG: 'quiet' };
    const child = Bun.spawn(cmd, {
      env: { ...process.env, DATABASE_URL: url, ...quiet },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    started.push(child);
    let printed = '';
    for await (const chunk of child.stdout) {
      printed += new TextDecoder().decode(chunk);
      const address = /http:\/\/[\d.:]+/.exec(printed)?.[0];
      if (address) return address;
    }
    throw new Error(`${cmd[0]} did not start.`);
  };

  /** The built executable where there is one, else the source tree. */
  const startServer = async (executable: string) => {
    const isBuilt = await Bun.file(executable).exists();
    return start([
      ...(isBuilt ? [executable] : [process.execPath, 'src/main.ts']),
      'serve',
      '--port',
      '0',
    ]);
  };

  /** A firm with its owner's key, and so many contacts and leads stored at once, without a door. */
  const makeFirm = async (name: string, many: { contacts: number; leads: number }) => {
    const standing = await runJson<{ firm: { id: string }; leadStages: Record<string, string> }>(
      url,
      ['firm', 'apply', '-'],
      JSON.stringify({
        name,
        members: [{ email: 'ada@harrow.example', name: 'Ada', role: 'Owner' }],
        numbering: { lead: 'L-{####}' },
        leadStages: ['New'],
        customFields: [{ on: 'lead', name: 'Referral source', type: 'TEXT' }],
      }),
    );
    const firmId = standing.firm.id;
    const scopes = ['contacts:read', 'leads:read', 'leads:write'];
    const words = ['key', 'create', '--firm', firmId, '--member', 'ada@harrow.example', '--scope'];
    const { key } = await runJson<{ key: string }>(url, [...words, ...scopes]);
    const sql = postgres({ ...embedded.address, max: 1, onnotice: () => {} });
    await storeInBulk(sql, firmId, standing.leadStages.New ?? '', many);
    await sql.end();
    return key;
  };

  const clear = async () => {
    for (const child of started) child.kill();
    await embedded.stop();
    await rm(dataDirectory, { recursive: true, force: true });
  };
  return { url, start, startServer, makeFirm, clear };
};

const storeInBulk = async (
  sql: postgres.Sql,
  firmId: string,
  stageId: string,
  { contacts, leads }: { contacts: number; leads: number },
) => {
  if (contacts === 0) return;
  await sql.begin(async (tx) => {
    await tx`
      insert into contact (firm_id, id, ordinal, type, name, last_name, emails, phones, custom_fields, findable_by, created_at, updated_at)
      select ${firmId}, gen_random_uuid(), n, 'PERSON', 'Prospect ' || n, 'Prospect ' || n, '[]', '[]', '{}', '',
        now() - (${contacts} - n) * interval '1 second', now() from generate_series(1, ${contacts}::int) n`;
    await tx`
      insert into lead (firm_id, id, ordinal, number, status, is_private, lead_stage_id, contact_id, custom_fields, findable_by, came_through_api, created_at, updated_at)
      select firm_id, gen_random_uuid(), ordinal, 'L-' || ordinal, 'ACTIVE', false, ${stageId}, id, '{}', '', true, created_at, updated_at
      from contact where firm_id = ${firmId} and ordinal <= ${leads}`;
    for (const [kind, count] of [
      ['contact', contacts],
      ['lead', leads],
    ] as const) {
      await tx`
        update register set live = ${count}, last_ordinal = ${count}, last_number = ${count}, last_at = now()
        where firm_id = ${firmId} and kind = ${kind}`;
      await tx`
        insert into register_block (firm_id, kind, block, live, live_private)
        select ${firmId}, ${kind}, n / ${blockSize}::int, count(*), 0 from generate_series(1, ${count}::int) n group by 3`;
    }
  });
  await sql`vacuum analyze`;
};
