/** What the attacks share: a server of their own as a process, two firms with a marker each, and its log. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scopes } from '../../../src/contents.ts';
import { runJson } from '../../support/terminal.ts';
import { openTurns } from '../../support/turns.ts';
import { setStage } from '../bench/stage.ts';
import { watch } from './seen.ts';

/** A firm whose every text holds its marker: wherever that turns up, something of the firm did. */
export type MarkedFirm = {
  id: string;
  marker: string;
  /** An owner's key for everything. */
  key: string;
  /** A key that was good once. */
  revokedKey: string;
  /** The key of a member who may only read contacts. */
  narrowKey: string;
  /** Ids of its records by their kind, as the paths of the API call it. */
  ids: Record<string, string[]>;
};

export type Attacked = Awaited<ReturnType<typeof startServer>>;

/** Sets up the database and both firms; servers on it are started with `serve`. */
export const setHostileStage = async (executable: string | undefined) => {
  const stage = await setStage();
  const logs = await mkdtemp(join(tmpdir(), 'matterhorn-hostile-'));
  const stops: (() => Promise<void>)[] = [];
  const serve = async (environment: Record<string, string>) => {
    const server = await startServer(executable, `${logs}/${stops.length}.log`, {
      DATABASE_URL: stage.url,
      ...environment,
    });
    stops.push(server.stop);
    return server;
  };
  const clear = async () => {
    for (const stop of stops) await stop();
    await stage.clear();
    await rm(logs, { recursive: true, force: true });
  };
  return { url: stage.url, serve, clear };
};

const startServer = async (
  executable: string | undefined,
  log: string,
  environment: Record<string, string>,
) => {
  const turns = openTurns(`${log}.turns`);
  const program = executable ? [executable] : [process.execPath, ...turns.preload, 'src/main.ts'];
  const child = Bun.spawn([...program, 'serve', '--port', '0'], {
    env: { ...process.env, NODE_ENV: 'production', ...turns.environment, ...environment },
    stdio: ['ignore', 'pipe', Bun.file(log)],
  });
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += new TextDecoder().decode(chunk);
    if (/http:\/\/[\d.:]+/.test(printed)) break;
  }
  const url = /http:\/\/[\d.:]+/.exec(printed)?.[0];
  if (!url) throw new Error(`The server did not start: ${await Bun.file(log).text()}`);
  const seen = watch(child.pid, turns.take);
  const stop = async () => {
    seen.stop();
    child.kill();
    await child.exited;
  };
  /** How it ended, with the last it said; undefined while it runs. */
  const ended = async () => {
    if (child.exitCode === null && child.signalCode === null) return undefined;
    const said = (await Bun.file(log).text()).slice(-2_000);
    return `ended with ${child.signalCode ?? child.exitCode}: ${said}`;
  };
  return { url, log, seen, stop, ended };
};

/** Makes a firm in which every name, address and title holds the marker. */
export const makeMarkedFirm = async (
  databaseUrl: string,
  url: string,
  marker: string,
): Promise<MarkedFirm> => {
  const email = `owner@${marker}.example`;
  const clerk = `clerk@${marker}.example`;
  const fields = ['TEXT', 'NUMBER', 'CHECKBOX', 'DATE', 'EMAIL'];
  const blueprint = {
    name: `Firm ${marker}`,
    roles: [{ name: `Clerk ${marker}`, permissions: ['contacts:read'] }],
    members: [
      { email, name: `Ada ${marker}`, role: 'Owner' },
      { email: clerk, name: `Cy ${marker}`, role: `Clerk ${marker}` },
    ],
    numbering: { lead: 'L-{####}', matter: 'M-{YYYY}-{####}' },
    leadStages: [`New ${marker}`, `Met ${marker}`],
    practiceAreas: [
      { name: `Family ${marker}`, stages: [`Intake ${marker}`], matterTypes: [`Will ${marker}`] },
    ],
    customFields: ['contact', 'lead', 'matter'].flatMap((on) =>
      fields.map((type) => ({ on, name: `${type} ${marker}`, type })),
    ),
  };
  const standing = await runJson<{
    firm: { id: string };
    members: Record<string, string>;
    leadStages: Record<string, string>;
    practiceAreas: Record<string, { id: string; stages: Record<string, string> }>;
  }>(databaseUrl, ['firm', 'apply', '-', '--another'], JSON.stringify(blueprint));
  const { id } = standing.firm;
  const keyOf = async (member: string) => {
    const words = ['key', 'create', '--firm', id, '--member', member, '--scope', ...scopes];
    return runJson<{ id: string; key: string }>(databaseUrl, words);
  };
  const revoked = await keyOf(email);
  await runJson(databaseUrl, ['key', 'revoke', revoked.id, '--firm', id]);
  const { key } = await keyOf(email);
  const [area] = Object.values(standing.practiceAreas);
  if (!area) throw new Error('The firm has no practice area.');
  const ids: MarkedFirm['ids'] = {
    'practice-areas': [area.id],
    'lead-stages': Object.values(standing.leadStages),
    stages: Object.values(area.stages),
    members: Object.values(standing.members),
    contacts: [],
    leads: [],
    matters: [],
    'matter-types': [],
  };
  const create = async (kind: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    const answer = await fetch(`${url}/v1/${kind}`, request);
    const { data } = (await answer.json()) as { data: { id: string } };
    ids[kind]?.push(data.id);
  };
  for (let count = 0; count < 20; count += 1) {
    const customFields = { [`TEXT ${marker}`]: `value ${marker}` };
    const name = { firstName: 'Zoe', lastName: `Quill ${marker}` };
    await create('contacts', { ...name, emails: [`zoe@${marker}.example`], customFields });
    await create('leads', { ...name, email: `zoe@${marker}.example`, customFields });
    const matter = { openDate: '2026-02-03', title: `Quill ${marker}`, practiceAreaId: area.id };
    await create('matters', { ...matter, clientContactIds: ids.contacts?.slice(-1), customFields });
    if (count < 3)
      await create('matter-types', { name: `Type ${marker} ${count}`, practiceAreaId: area.id });
  }
  const { key: narrowKey } = await keyOf(clerk);
  return { id, marker, key, revokedKey: revoked.key, narrowKey, ids };
};
