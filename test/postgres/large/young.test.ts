/** A database that has just been filled, and whose statistics nobody but the server looks after. */
import { expect, test } from 'bun:test';
import { areSpread } from '../../support/cluster.ts';
import { connect, ownDatabase } from '../../support/database.ts';
import { makeFirm, startTestServer } from '../../support/firm.ts';

const leads = 600;
const unknown = '01890000-0000-7000-8000-000000000001';

test.skipIf(areSpread)(
  'soon after many creates a server reads a lead, a page and due jobs by few rows, although it planned them for empty tables and autovacuum is off',
  async () => {
    const databaseUrl = await ownDatabase();
    const sql = connect(databaseUrl);
    const filled = ['lead', 'contact', 'job', 'audit_entry', 'audit_seal'];
    for (const table of filled)
      await sql.unsafe(`alter table ${table} set (autovacuum_enabled = false)`);
    const server = await startTestServer({ databaseUrl });
    const { owner } = await makeFirm(server);
    // Now their plans are made.
    expect((await owner.get(`/v1/leads/${unknown}`)).status).toBe(404);
    expect((await owner.get('/v1/leads?limit=20')).body.data).toEqual([]);

    const ids: string[] = [];
    const create = async () => {
      for (let left = leads / 20; left > 0; left -= 1) {
        const made = await owner.post('/v1/leads', { firstName: 'Zoe', lastName: `Quill ${left}` });
        ids.push(made.body.data.id);
      }
    };
    await Promise.all(Array.from({ length: 20 }, create));

    // A table may have doubled since it was looked at, and its pages were fuller then, or emptier.
    const behind = () => sql`
      select relname from pg_class where relname in ('lead', 'contact', 'job')
        and (reltuples < ${leads / 10} or pg_relation_size(oid) / 8192 > 2 * relpages)`;
    while ((await behind()).length > 0) await Bun.sleep(50);

    /** How many rows a scan of this table has read on average, while `ask` was called again and again. */
    const rowsPerScan = async (table: string, ask: () => Promise<unknown>) => {
      const count = async () => {
        const [counted] = await sql<{ scans: number; rows: number }[]>`
          select seq_scan::int + idx_scan::int as scans, seq_tup_read::int + (
            select sum(idx_tup_read)::int from pg_stat_user_indexes where relname = ${table}) as rows
          from pg_stat_user_tables where relname = ${table}`;
        return counted as { scans: number; rows: number };
      };
      // Connections tell their counts within a second after they are asked something.
      const settle = async () => {
        const until = performance.now() + 1_500;
        while (performance.now() < until) await ask();
      };
      await settle();
      const before = await count();
      for (let after = before; ; after = await count()) {
        await settle();
        const scans = after.scans - before.scans;
        if (scans >= 10) return (after.rows - before.rows) / scans;
      }
    };

    const one = () => owner.get(`/v1/leads/${ids[300]}`);
    expect(await rowsPerScan('lead', one)).toBeLessThan(5);
    const page = () => owner.get('/v1/leads?limit=20');
    expect(await rowsPerScan('lead', page)).toBeLessThan(40);
    expect(await rowsPerScan('contact', page)).toBeLessThan(40);
    // Announcements of the leads are due later: looking for due jobs does not read them.
    const [due] = await sql<{ rows: number }[]>`
      select count(*)::int as rows from job where dead_at is null`;
    expect(due?.rows).toBeGreaterThan(leads / 2);
    await sql`update job set run_at = run_at + interval '1 hour' where kind = 'lead_announce'`;
    const look = () => Bun.sleep(50);
    // The first look passes by the index entries of before that change.
    await rowsPerScan('job', look);
    expect(await rowsPerScan('job', look)).toBeLessThan(60);
    await sql.end();
  },
);
