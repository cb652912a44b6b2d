import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { createKey, listKeys, revokeKey } from '../api-keys/api-key.ts';
import { permissions } from '../firm/permissions.ts';
import type { Database } from '../postgres/pool.ts';
import { administrator } from '../record/actor.ts';
import { applyBlueprint } from './apply-blueprint.ts';
import { type Blueprint, readBlueprint } from './blueprint.ts';
import { type ServeOptions, serve, withServeOptions } from './serve.ts';
import { commandWord, type Terminal } from './terminal.ts';

/** `demo`: serves a demonstration firm, in a given data directory or one that is thrown away. */
export const demoCommand = (program: Command, terminal: Terminal) => {
  const command = withServeOptions(program.command('demo'));
  command
    .description('serve a demonstration firm, with a key and three calls to try')
    .addHelpText('after', '\nExample:\n  matterhorn demo\n  matterhorn demo --data ./demo-data')
    .action(async (options: ServeOptions) => {
      const isGiven = command.getOptionValueSource('data') !== 'default';
      const data = isGiven ? options.data : await mkdtemp(join(tmpdir(), 'matterhorn-demo-'));
      try {
        await serve(terminal, { ...options, data }, async ({ url, database }, dataDirectory) => {
          const { key, firmId } = await makeDemonstration(database);
          return options.json
            ? `${JSON.stringify({ url, key, firmId, dataDirectory })}\n`
            : greeting(url, key, dataDirectory);
        });
      } finally {
        if (!isGiven) await rm(data, { recursive: true, force: true });
      }
    });
};

const keyName = 'Demonstration';

/** Makes the firm and a fresh key of its owner; the key of an earlier demonstration is revoked. */
const makeDemonstration = async (database: Database) => {
  const { firmId } = await applyBlueprint(database, readBlueprint(JSON.stringify(demonstration)));
  const actor = administrator(database, firmId);
  for (const old of await listKeys(actor)) {
    if (old.name === keyName && !old.revokedAt) await revokeKey(actor, old.id);
  }
  const { key } = await createKey(actor, {
    email: 'ada@harrow.example',
    scopes: [...permissions],
    name: keyName,
    expiresAt: null,
  });
  return { key, firmId };
};

const greeting = (url: string, key: string, dataDirectory: string | undefined) => `
Matterhorn listens on ${url}
Its data is in ${dataDirectory ?? 'the database of DATABASE_URL'}
The demonstration firm is Harrow & Lane; the key of its owner is ${key}

Create a lead, read it, list leads:

  LEAD=$(curl -s ${url}/v1/leads -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"firstName":"Zoe","lastName":"Quill","email":"zoe@quill.example"}' | tee /dev/stderr | sed 's/.*"data":{"id":"\\([^"]*\\)".*/\\1/')
  curl -s ${url}/v1/leads/$LEAD -H 'Authorization: Bearer ${key}'
  curl -s '${url}/v1/leads?limit=5' -H 'Authorization: Bearer ${key}'

A minute later it is in the owner's inbox: ${commandWord()} inbox --member ada@harrow.example${dataDirectory ? ` --data ${dataDirectory}` : ''}
Stop with Ctrl-C.
`;

const demonstration: Blueprint = {
  name: 'Harrow & Lane',
  roles: [
    {
      name: 'Attorney',
      permissions: [
        'contacts:read',
        'contacts:write',
        'leads:read',
        'leads:write',
        'matters:read',
        'matters:write',
      ],
    },
    { name: 'Bookkeeper', permissions: ['matters:read'] },
  ],
  members: [
    { email: 'ada@harrow.example', name: 'Ada Harrow', role: 'Owner' },
    { email: 'ben@harrow.example', name: 'Ben Lane', role: 'Attorney' },
    { email: 'cy@harrow.example', name: 'Cy Moss', role: 'Bookkeeper' },
  ],
  numbering: { lead: 'L-{####}', matter: 'M-{YYYY}-{####}' },
  leadStages: ['New', 'Contacted', 'Consultation booked'],
  practiceAreas: [
    { name: 'Family', stages: ['Intake', 'Filed', 'Closed'], matterTypes: ['Divorce', 'Custody'] },
    { name: 'Estates', stages: ['Intake', 'Drafting'], matterTypes: ['Will', 'Probate'] },
  ],
  customFields: [
    { on: 'lead', name: 'Referral source', type: 'SELECT', options: ['Web', 'Friend'] },
    { on: 'lead', name: 'Consultation on', type: 'DATE' },
    { on: 'contact', name: 'Preferred language', type: 'TEXT' },
  ],
};
