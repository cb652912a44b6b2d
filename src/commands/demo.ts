import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { createKey, revokeKey } from '../api-keys/api-key.ts';
import { listKeys } from '../api-keys/list.ts';
import { sealNow } from '../audit/seal.ts';
import { beQuiet } from '../base/log.ts';
import { Refusal } from '../base/refusal.ts';
import { readSettings } from '../config.ts';
import { scopes } from '../contents.ts';
import { people } from '../demonstration/cast.ts';
import { demonstrationName, makeDemonstrationFirm } from '../demonstration/demonstration.ts';
import { listFirms } from '../firm/firm.ts';
import type { Database } from '../postgres/pool.ts';
import { administrator } from '../record/actor.ts';
import { createLink } from '../sign-in/invitation.ts';
import { findMember } from './find.ts';
import { welcomeLinkOf } from './link.ts';
import { type ServeOptions, serve, withServeOptions } from './serve.ts';
import { commandWord, isDataGiven, type Terminal } from './terminal.ts';

/** `demo`: serves a demonstration firm, in a given data directory or a temporary one. */
export const demoCommand = (program: Command, terminal: Terminal) => {
  const command = withServeOptions(program.command('demo'), 'a temporary one');
  command
    .description('serve a demonstration firm, with an address to open and a key to try')
    .addHelpText('after', '\nExample:\n  matterhorn demo\n  matterhorn demo --data ./demo-data')
    .action(async (options: ServeOptions) => {
      // Who tries it looks for the address, which the log would bury.
      beQuiet();
      const isGiven = isDataGiven(command);
      const data = isGiven ? options.data : await mkdtemp(join(tmpdir(), 'matterhorn-demo-'));
      try {
        await serve(
          terminal,
          { ...options, data },
          async ({ url, database }, dataDirectory, signs) => {
            const { key, token } = await makeDemonstration(database);
            await sealNow(database, signs);
            const signInLink = welcomeLinkOf(readSettings(terminal.environment), url, token);
            const firm = { id: demonstrationId, name: demonstrationName };
            return options.json
              ? `${JSON.stringify({ url, signInLink, key, firm })}\n`
              : greeting({ url, signInLink, key, dataDirectory });
          },
        );
      } finally {
        if (!isGiven) await rm(data, { recursive: true, force: true });
      }
    });
};

/** The demonstration's firm in every database: by it no real firm is taken for the demonstration's. */
const demonstrationId = '00000000-0000-7000-8000-de3000000001';
const keyName = 'Demonstration';
const ownerEmail = people.ada.email;

/**
 * Makes the firm if it does not exist yet. Each start makes a fresh key and a fresh link for its
 * owner; older ones no longer work.
 */
const makeDemonstration = async (database: Database) => {
  const firms = await listFirms(database);
  const standing = firms.find((one) => one.name === demonstrationName);
  if (standing && standing.id !== demonstrationId) {
    throw new Refusal(
      'conflict',
      `There is a firm called ${demonstrationName} here that is not the demonstration's. Serve it with \`matterhorn serve\`, or name another data directory with --data.`,
    );
  }
  const isThere = firms.some(({ id }) => id === demonstrationId);
  if (!isThere) await makeDemonstrationFirm(database, demonstrationId, new Date());
  const actor = administrator(database, demonstrationId);
  for (const old of await listKeys(actor)) {
    if (old.name === keyName && !old.revokedAt) await revokeKey(actor, old.id);
  }
  const { id: memberId } = await findMember(actor, ownerEmail);
  const input = { memberId, scopes: [...scopes], name: keyName, expiresAt: null };
  const [{ key }, { token }] = [
    await createKey(actor, input),
    await createLink(actor, memberId, 'DEMONSTRATION'),
  ];
  return { key, token };
};

type Greeted = { url: string; signInLink: string; key: string; dataDirectory: string | undefined };

const greeting = ({ url, signInLink, key, dataDirectory }: Greeted) => {
  const about = dataDirectory ? ` --data ${dataDirectory}` : '';
  const { port } = new URL(url);
  const linked = port === '3000' ? about : ` --port ${port}${about}`;
  // Another terminal knows neither the certificate nor the address of this server.
  const { origin } = new URL(signInLink);
  const at = origin === `http://127.0.0.1:${port}` ? '' : `PUBLIC_URL=${origin} `;
  return `
Matterhorn listens on ${url}
Its data is in ${dataDirectory ?? 'the database of DATABASE_URL'}

Open the demonstration in a browser, as ${people.ada.name}, the owner of ${demonstrationName} (this works once, for a day):

  ${signInLink}

Others of the firm see less. A link for one of them: ${at}${commandWord()} member invite --member ${people.iris.email}${linked}

For programs, the owner's key is ${key}
Put it in a file, where no other user sees it; then create a lead, read it, list leads:

  AUTH=$(mktemp) && echo 'Authorization: Bearer ${key}' > "$AUTH"
  LEAD=$(curl -s ${url}/v1/leads -H @"$AUTH" -H 'Content-Type: application/json' -d '{"firstName":"Zoe","lastName":"Quill","email":"zoe@quill.example"}' | tee /dev/stderr | sed 's/.*"data":{"id":"\\([^"]*\\)".*/\\1/')
  curl -s ${url}/v1/leads/$LEAD -H @"$AUTH"
  curl -s '${url}/v1/leads?limit=5' -H @"$AUTH"

A minute later it is in the owner's inbox: ${commandWord()} inbox --member ${ownerEmail}${about}
Stop with Ctrl-C.
`;
};
