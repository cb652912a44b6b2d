import { afterAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createKey } from '../../../src/api-keys/api-key.ts';
import { listAuditEntries } from '../../../src/audit/entry.ts';
import { applyBlueprint } from '../../../src/blueprint/apply.ts';
import { readBlueprint } from '../../../src/blueprint/blueprint.ts';
import { describeFirm } from '../../../src/commands/describe-firm.ts';
import { readSettings } from '../../../src/config.ts';
import { isPermission, scopes } from '../../../src/contents.ts';
import { openDatabase } from '../../../src/postgres/pool.ts';
import { administrator } from '../../../src/record/actor.ts';
import { caller, type Standing, startTestServer } from '../../support/firm.ts';
import { command, firstCommands } from '../model/commands.ts';
import type { Field, ModelFirm } from '../model/firm.ts';
import { compareAll, type Pair, runCommand } from '../model/run.ts';

/** How many sequences; .ci/run has more of them. MODEL_SEED repeats a run. */
const sequences = Number(process.env.MODEL_SEQUENCES ?? 16);
const seed = Number(process.env.MODEL_SEED ?? Math.floor(Math.random() * 2 ** 31));
const commandsEach = 50;
// Sequences that run at the same time share the server, as firms do.
const lanes = 4;

const server = await startTestServer();
const database = openDatabase(
  readSettings({ DATABASE_URL: server.databaseUrl }).database ?? '',
  lanes,
);
afterAll(() => database.close());

const blueprint = {
  roles: [{ name: 'Attorney', permissions: scopes.filter(isPermission) }],
  members: [
    { email: 'ada@harrow.example', name: 'Ada Harrow', role: 'Owner' },
    { email: 'ben@harrow.example', name: 'Ben Lane', role: 'Attorney' },
    { email: 'dee@harrow.example', name: 'Dee Moss', role: 'Attorney' },
  ],
  numbering: { lead: 'L-{####}', matter: 'M-{####}' },
  leadStages: ['New', 'Contacted'],
  customFields: [
    { on: 'contact', name: 'Note', type: 'TEXT' },
    { on: 'contact', name: 'Scan', type: 'FILE' },
    { on: 'lead', name: 'Source', type: 'SELECT', options: ['Web', 'Friend'] },
    { on: 'lead', name: 'Score', type: 'NUMBER' },
    { on: 'matter', name: 'Court', type: 'TEXT' },
    { on: 'matter', name: 'Opponent', type: 'CONTACT' },
    { on: 'matter', name: 'Related', type: 'MATTER' },
  ],
};

/** A firm through the verbs of its commands, on one connection: thousands of them are made. */
const makePair = async (): Promise<Pair & { firmId: string }> => {
  const name = `Firm ${Bun.randomUUIDv7()}`;
  const { firmId } = await applyBlueprint(
    database,
    readBlueprint(JSON.stringify({ name, ...blueprint })),
    { another: true },
  );
  const admin = administrator(database, firmId);
  const standing = (await describeFirm(admin, { id: firmId, name })) as Standing;
  const callers = await Promise.all(
    blueprint.members.map(async ({ email, name, role }) => {
      const memberId = standing.members[email] ?? '';
      const input = { memberId, scopes: [...scopes], name: 'Model', expiresAt: null };
      const { id, key } = await createKey(admin, input);
      const member = { id: memberId, name, isOwner: role === 'Owner' };
      return { member, caller: caller(server.url, key, id) };
    }),
  );
  const fieldsOn = (on: 'contact' | 'matter' | 'lead'): Field[] =>
    blueprint.customFields
      .filter((field) => field.on === on)
      .map(({ name, type, options = [] }) => ({
        name,
        type,
        options,
        id: standing.customFields[on][name] ?? '',
      }));
  const model: ModelFirm = {
    members: callers.map(({ member }) => member),
    leadStages: blueprint.leadStages.map((name) => ({ name, id: standing.leadStages[name] ?? '' })),
    fields: { CONTACT: fieldsOn('contact'), MATTER: fieldsOn('matter'), LEAD: fieldsOn('lead') },
    contacts: [],
    leads: [],
    matters: [],
    'practice-areas': [],
    'matter-types': [],
    audit: [],
  };
  return { firmId, model, callers };
};

/** What the audit log says of a firm's keys' writes, as lines. */
const auditLinesOf = async (pair: Pair) => {
  const { firmId } = pair as Pair & { firmId: string };
  const entries = await listAuditEntries(administrator(database, firmId));
  return entries
    .filter(({ keyId }) => keyId !== null)
    .map(({ action, recordKind, recordId }) => `${action} ${recordKind} ${recordId}`);
};

test(
  'two firms answer every sequence of creates, updates, deletes, reads and lists as the model of the contract does',
  async () => {
    let ran = 0;
    const property = fc.asyncProperty(
      fc.array(command, { minLength: commandsEach, maxLength: commandsEach }),
      async (commands) => {
        const pairs = [await makePair(), await makePair()];
        for (const one of [...firstCommands, ...commands]) await runCommand(pairs, one);
        await compareAll(pairs, auditLinesOf);
        ran += 1;
      },
    );
    const numRuns = Math.ceil(sequences / lanes);
    const started = performance.now();
    await Promise.all(
      Array.from({ length: lanes }, (_, lane) =>
        fc.assert(property, { numRuns, seed: seed + lane }),
      ),
    );
    expect(ran).toBe(numRuns * lanes);
    const seconds = Math.round((performance.now() - started) / 1000);
    console.log(
      `${ran} sequences of ${commandsEach} commands, 0 differences, ${seconds} s (seed ${seed})`,
    );
  },
  { timeout: 24 * 3_600_000 },
);
