import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { createKey, revokeKey } from '../api-keys/api-key.ts';
import { listKeys } from '../api-keys/list.ts';
import { Refusal } from '../base/refusal.ts';
import { scopes } from '../contents.ts';
import { listFirms } from '../firm/firm.ts';
import type { Database } from '../postgres/pool.ts';
import { administrator } from '../record/actor.ts';
import { applyBlueprint } from './apply-blueprint.ts';
import { readBlueprint } from './blueprint.ts';
import exampleFirm from './example-firm.yaml' with { type: 'text' };
import { findMember } from './find.ts';
import { type ServeOptions, serve, withServeOptions } from './serve.ts';
import { commandWord, isDataGiven, type Terminal } from './terminal.ts';

/** `demo`: serves a demonstration firm, in a given data directory or one that is thrown away. */
export const demoCommand = (program: Command, terminal: Terminal) => {
  const command = withServeOptions(program.command('demo'), 'one that is thrown away');
  command
    .description('serve a demonstration firm, with a key and three calls to try')
    .addHelpText('after', '\nExample:\n  matterhorn demo\n  matterhorn demo --data ./demo-data')
    .action(async (options: ServeOptions) => {
      const isGiven = isDataGiven(command);
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

const firmName = 'Harrow & Lane';
/** The demonstration's firm in every database: by it no real firm is taken for the demonstration's. */
const demonstrationId = '00000000-0000-7000-8000-de3000000001';
const keyName = 'Demonstration';

/** Makes the firm and a fresh key of its owner; the key of an earlier demonstration is revoked. */
const makeDemonstration = async (database: Database) => {
  const standing = (await listFirms(database)).find((one) => one.name === firmName);
  if (standing && standing.id !== demonstrationId) {
    throw new Refusal(
      'conflict',
      `A firm called ${firmName} stands here that is not the demonstration's. Serve it with \`matterhorn serve\`, or name another data directory with --data.`,
    );
  }
  const blueprint = { ...readBlueprint(exampleFirm), name: firmName };
  const { firmId } = await applyBlueprint(database, blueprint, {
    another: true,
    newFirmId: demonstrationId,
  });
  const actor = administrator(database, firmId);
  for (const old of await listKeys(actor)) {
    if (old.name === keyName && !old.revokedAt) await revokeKey(actor, old.id);
  }
  const { id: memberId } = await findMember(actor, 'ada@harrow.example');
  const { key } = await createKey(actor, {
    memberId,
    scopes: [...scopes],
    name: keyName,
    expiresAt: null,
  });
  return { key, firmId };
};

const greeting = (url: string, key: string, dataDirectory: string | undefined) => `
Matterhorn listens on ${url}
Its data is in ${dataDirectory ?? 'the database of DATABASE_URL'}
The demonstration firm is Harrow & Lane; the key of its owner is ${key}

Put the key in a file, where no other user sees it; then create a lead, read it, list leads:

  AUTH=$(mktemp) && echo 'Authorization: Bearer ${key}' > "$AUTH"
  LEAD=$(curl -s ${url}/v1/leads -H @"$AUTH" -H 'Content-Type: application/json' -d '{"firstName":"Zoe","lastName":"Quill","email":"zoe@quill.example"}' | tee /dev/stderr | sed 's/.*"data":{"id":"\\([^"]*\\)".*/\\1/')
  curl -s ${url}/v1/leads/$LEAD -H @"$AUTH"
  curl -s '${url}/v1/leads?limit=5' -H @"$AUTH"

A minute later it is in the owner's inbox: ${commandWord()} inbox --member ada@harrow.example${dataDirectory ? ` --data ${dataDirectory}` : ''}
Stop with Ctrl-C.
`;
