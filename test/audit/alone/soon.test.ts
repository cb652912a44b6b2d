import { expect, test } from 'bun:test';
import type { Standing } from '../../../src/audit/verify.ts';
import { countUnsealed, sealAll } from '../../support/chain.ts';
import { ownDatabase } from '../../support/database.ts';
import { makeFirm, startTestServer } from '../../support/firm.ts';
import { runJson } from '../../support/terminal.ts';

test('every entry is sealed soon after its commit, while the server runs', async () => {
  const databaseUrl = await ownDatabase();
  const server = await startTestServer({ databaseUrl });
  const firm = await makeFirm(server);
  await sealAll(databaseUrl);
  for (let round = 0; round < 3; round += 1) {
    await firm.owner.post('/v1/leads', { lastName: 'Quill' });
    const committed = performance.now();
    while ((await countUnsealed(databaseUrl)) > 0) await Bun.sleep(50);
    expect(performance.now() - committed).toBeLessThan(40_000);
  }
  const { firms } = await runJson<{ firms: Standing[] }>(databaseUrl, ['audit', 'verify']);
  expect(firms.map(({ firstBad }) => firstBad)).toEqual([null]);
  await server.stop();
});
