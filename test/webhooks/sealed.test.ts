import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeInstallationKey } from '../../src/base/installation-key.ts';
import { sealsOf } from '../../src/base/seal.ts';
import { sealWebhooks } from '../../src/webhooks/sealed.ts';
import { openSecret } from '../../src/webhooks/secret.ts';
import { atEnd } from '../support/at-end.ts';
import { connect, onDatabase, ownDatabase } from '../support/database.ts';
import { makeFirm, startTestServer } from '../support/firm.ts';

const folder = mkdtempSync(join(tmpdir(), 'matterhorn-webhooks-'));
atEnd(() => rmSync(folder, { recursive: true }));

test('A secret is sealed as soon as there is a key, and sealed anew for another one', async () => {
  const databaseUrl = await ownDatabase();
  const server = await startTestServer({ databaseUrl });
  const sql = connect(databaseUrl);
  atEnd(() => sql.end());
  const firm = await makeFirm(server);
  const made = await firm.owner.post('/v1/webhook-endpoints', {
    url: 'https://hooks.harrow.example/',
  });
  const { id, secret } = made.body.data;
  const [first, second] = ['first', 'second'].map((name) =>
    makeInstallationKey(join(folder, name)),
  );
  const row = { firmId: firm.id, endpointId: id };
  const stored = async () =>
    (await sql`select secret from webhook_sending where endpoint_id = ${id}`)[0]?.secret as string;
  expect(await stored()).toBe(secret);
  for (const [key, former] of [
    [first, undefined],
    [second, first],
  ] as const) {
    if (!key) throw new Error('Two keys were made.');
    const seal = () => onDatabase(databaseUrl, (database) => sealWebhooks(database, key, former));
    expect([await seal(), await seal()]).toEqual([1, 0]);
    expect(await stored()).not.toContain(secret);
    expect(await openSecret(sealsOf(key), await stored(), row)).toBe(secret);
  }
  expect(await openSecret(sealsOf(first), await stored(), row)).toBeUndefined();
  // Of another webhook's row it cannot be read.
  const other = { ...row, endpointId: firm.id };
  expect(await openSecret(sealsOf(second), await stored(), other)).toBeUndefined();
});
