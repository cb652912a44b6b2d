/** What the benchmarks share: a database of their own, programs on it, and firms stored in bulk. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { startEmbedded } from '../../../src/postgres/embedded/embedded.ts';
import { blockLengths } from '../../../src/register/register.ts';
import { embeddedUrl, socketFolder } from '../../support/embedded.ts';
import { runJson } from '../../support/terminal.ts';

/** A started program: where it listens, and how long it took to say so. */
export type Started = { address: string; pid: number; milliseconds: number; stop(): Promise<void> };

/** A firm with three members, and its owner's key. */
export type BenchFirm = {
  id: string;
  key: string;
  members: string[];
  leadStageId: string;
  practiceAreaId: string;
  stageId: string;
};

type Standing = {
  firm: { id: string };
  members: Record<string, string>;
  leadStages: Record<string, string>;
  practiceAreas: Record<string, { id: string; stages: Record<string, string> }>;
};

const members = [
  { email: 'ada@harrow.example', name: 'Ada', role: 'Owner' },
  { email: 'ben@harrow.example', name: 'Ben', role: 'Attorney' },
  { email: 'cy@harrow.example', name: 'Cy', role: 'Attorney' },
];

/** Sets up a durable embedded Postgres in a folder that goes when `clear` is called. */
export const setStage = async () => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'matterhorn-bench-'));
  const embedded = await startEmbedded({ dataDirectory, say: () => {}, onGaveUp: console.error });
  const { username, password, database } = embedded.superuser;
  const url = embeddedUrl(embedded.superuser);
  const started: Started[] = [];

  /** Starts a program on a database, and waits for the address it prints. */
  const startOn = async (cmd: string[], databaseUrl: string): Promise<Started> => {
    const program = await startProgram(cmd, { ...quiet, DATABASE_URL: databaseUrl });
    started.push(program);
    return program;
  };

  /** Starts a program and gives the address it prints. */
  const start = async (cmd: string[]) => (await startOn(cmd, url)).address;

  const startServer = async (executable: string) => start(await serving(executable));

  /** A connection of the benchmark's own; it ends with the stage. */
  const connections: postgres.Sql[] = [];
  const connect = (name = database) => {
    const sql = postgres({ ...embedded.superuser, database: name, max: 1, onnotice: () => {} });
    connections.push(sql);
    return sql;
  };

  const foundFirm = (name: string, databaseUrl = url) => foundFirmIn(databaseUrl, name);

  /**
   * A firm with its owner's key, and this many contacts and leads stored at once, without a door.
   */
  const storeFirm = async (name: string, many: { contacts: number; leads: number }) => {
    const firm = await foundFirm(name);
    const sql = connect();
    await storeInBulk(sql, firm.id, firm.leadStageId, many);
    await sql.end();
    return firm;
  };

  /** As `storeFirm`; gives the owner's key alone. */
  const makeFirm = async (name: string, many: { contacts: number; leads: number }) =>
    (await storeFirm(name, many)).key;

  /** A copy of the stage's database under another name, with everything that is stored so far. */
  const copyTo = async (name: string) => {
    const sql = connect('postgres');
    await sql.unsafe(`create database ${name} template ${database} strategy file_copy`);
    await sql.end();
    return embeddedUrl({ ...embedded.superuser, database: name });
  };

  const clear = async () => {
    await Promise.all(started.map((one) => one.stop()));
    await Promise.all(connections.map((one) => one.end()));
    await embedded.stop();
    await rm(dataDirectory, { recursive: true, force: true });
  };
  const postmaster = async () =>
    Number(
      (await Bun.file(`${embedded.dataDirectory}/pgdata/postmaster.pid`).text()).split('\n')[0],
    );
  return {
    url,
    postmaster,
    connect,
    copyTo,
    start,
    startOn,
    startServer,
    address: { folder: socketFolder(embedded.superuser), username, password },
    foundFirm,
    storeFirm,
    makeFirm,
    clear,
  };
};

const quiet = { RATE_LIMIT: 'off', NODE_ENV: 'production', MATTERHORN_LOG: 'quiet' };

/** The command that serves: of the built executable if there is one, else of the source tree. */
const serving = async (executable: string): Promise<string[]> => {
  const isBuilt = await Bun.file(executable).exists();
  return [...(isBuilt ? [executable] : [process.execPath, 'src/main.ts']), 'serve', '--port', '0'];
};

/** Starts the server on a database, with more of its environment if that is given. */
export const startServerOn = async (
  executable: string,
  databaseUrl: string,
  environment: Record<string, string> = {},
): Promise<Started> =>
  startProgram(await serving(executable), {
    ...quiet,
    ...environment,
    DATABASE_URL: databaseUrl,
  });

/** Founds a firm without records in this database. */
export const foundFirmIn = async (url: string, name: string): Promise<BenchFirm> => {
  const { firm, ...standing } = await runJson<Standing>(
    url,
    ['firm', 'apply', '-', '--another'],
    JSON.stringify({
      name,
      roles: [{ name: 'Attorney', permissions: ['contacts:read', 'matters:read'] }],
      members,
      numbering: { lead: 'L-{####}', matter: 'M-{####}' },
      leadStages: ['New'],
      practiceAreas: [{ name: 'Family', stages: ['Intake'] }],
      customFields: [{ on: 'lead', name: 'Referral source', type: 'TEXT' }],
    }),
  );
  const words = ['key', 'create', '--firm', firm.id, '--member', 'ada@harrow.example', '--scope'];
  const scopes = ['contacts:read', 'leads:read', 'leads:write', 'matters:read', 'matters:write'];
  const { key } = await runJson<{ key: string }>(url, [...words, ...scopes]);
  const area = standing.practiceAreas.Family;
  return {
    id: firm.id,
    key,
    members: Object.values(standing.members),
    leadStageId: standing.leadStages.New ?? '',
    practiceAreaId: area?.id ?? '',
    stageId: area?.stages.Intake ?? '',
  };
};

/** Starts a program, and waits for the address it prints. */
export const startProgram = async (
  cmd: string[],
  environment: Record<string, string>,
): Promise<Started> => {
  const begun = performance.now();
  const child = Bun.spawn(cmd, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = async () => {
    child.kill();
    await Promise.race([child.exited, Bun.sleep(20_000)]);
  };
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += new TextDecoder().decode(chunk);
    const address = /http:\/\/[\d.:]+/.exec(printed)?.[0];
    if (!address) continue;
    return { address, pid: child.pid, milliseconds: performance.now() - begun, stop };
  }
  throw new Error(`${cmd[0]} did not start.`);
};

const storeInBulk = async (
  sql: postgres.Sql,
  firmId: string,
  stageId: string,
  { contacts, leads }: { contacts: number; leads: number },
) => {
  if (contacts === 0) return;
  await sql.begin(async (tx) => {
    // What is stored here refers to what is there: checking each row takes most of the time.
    await tx`set local session_replication_role = replica`;
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
        insert into register (firm_id, kind, live, last_ordinal, last_number, last_at)
        values (${firmId}, ${kind}, ${count}, ${count}, ${count}, now())
        on conflict (firm_id, kind) do update set live = excluded.live,
          last_ordinal = excluded.last_ordinal, last_number = excluded.last_number,
          last_at = excluded.last_at`;
      await tx`
        insert into register_block (firm_id, kind, length, block, live, live_private)
        select ${firmId}, ${kind}, length, n / length, count(*), 0
        from generate_series(1, ${count}::int) n, unnest(${Object.values(blockLengths)}::int[]) length group by 3, 4`;
    }
  });
  await sql`vacuum analyze`;
};
