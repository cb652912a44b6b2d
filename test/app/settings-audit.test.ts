/** The audit log in the settings: read by those who may, filtered, proven and exported. */
import { describe, expect, test } from 'bun:test';
import { memberBrowser } from '../support/app.ts';
import { sealOnce } from '../support/chain.ts';
import { connect } from '../support/database.ts';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { partsIn, textIn } from '../support/html.ts';
import { until } from '../support/until.ts';

const server = await startTestServer();
const sql = connect(server.databaseUrl);
const here = '/settings/audit';
const manager = 'may@harrow.example';
const hostile = `<img src=x onerror=alert(1)> ${crypto.randomUUID()}`;

/** A firm with an administrator, who may read the log but sees no private lead of others. */
const ready = async () => {
  const rights = ['contacts:read', 'contacts:write', 'leads:read', 'leads:write', 'audit:read'];
  const firm = await makeFirm(server, {
    roles: [
      { name: 'Manager', permissions: [...rights, 'firm:write'] },
      { name: 'Attorney', permissions: rights.slice(0, 4) },
    ],
    members: [
      { email: owner, name: 'Ada Harrow', role: 'Owner' },
      { email: manager, name: 'May Day', role: 'Manager' },
      { email: attorney, name: 'Ben Lane', role: 'Attorney' },
    ],
    customFields: [
      { on: 'lead', name: 'Consultation', type: 'DATE' },
      { on: 'lead', name: 'Reference', type: 'TEXT' },
    ],
  });
  const [ada, may, ben] = await Promise.all(
    [owner, manager, attorney].map((email) => memberBrowser(server, firm, email)),
  );
  if (!ada || !may || !ben) throw new Error('Somebody is not signed in.');
  const lead = async (body: object) => {
    const made = await firm.owner.post('/v1/leads', {
      leadStageColumnId: firm.leadStages.New,
      ...body,
    });
    expect(made.status).toBe(201);
    return made.body.data.id as string;
  };
  return { firm, ada, may, ben, lead };
};

/** The rows of the log on a page, as they are read. */
const rowsOf = (text: string) =>
  (/Audit log<\/caption>.*?<tbody>(.*?)<\/tbody>/s.exec(text)?.[1] ?? '')
    .split('</tr>')
    .map((row) =>
      row
        .replaceAll(/<[^>]+>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter(Boolean);

/** Seals the firm's log; transactions of other tests on the same server delay it. */
const sealed = async (firmId: string) => {
  await until(async () => {
    await sealOnce(server.databaseUrl);
    const [{ left } = { left: 1 }] = await sql<{ left: number }[]>`
      select count(*)::int as left from audit_entry entry where firm_id = ${firmId}
        and not exists (select from audit_seal where firm_id = ${firmId} and entry_id = entry.id)`;
    return left === 0;
  });
};

describe('The audit log', () => {
  test('names a record only where it has a name, and offers to copy the head', async () => {
    const { firm, ada } = await ready();
    await sealed(firm.id);
    const { text } = await ada.get(here);
    expect(text).toContain('signed in');
    expect(text).not.toContain('<b></b>');
    expect(textIn(text, 'code#head')).toMatch(/^[0-9a-f]{64}$/);
    expect(partsIn(text, '[data-copies="head"]')).toHaveLength(1);
  });

  test('says in words who changed what, through which key, and links to the record', async () => {
    const { firm, ada, may, lead } = await ready();
    const id = await lead({ lastName: hostile });
    await may.send(`/leads/${id}`, { value: 'HIGH' });
    await firm.owner.patch(`/v1/leads/${id}`, { leadStageColumnId: firm.leadStages.Contacted });
    const { text } = await ada.get(`${here}?record=${id}`);
    expect(text).not.toContain('<img src=x');
    expect(text).toContain(`href="/leads/${id}"`);
    const rows = rowsOf(text);
    expect(rows[0]).toMatch(
      /Ada Harrow through key .* L-0001 .*: moved the lead from New to Contacted .* New to Contacted/,
    );
    expect(rows[1]).toMatch(/May Day L-0001 .*: changed Value from nothing to High/);
    expect(rows.at(-1)).toContain('created the lead');
    expect(rows.length).toBeGreaterThan(1);
  });

  test('says of several records changed at once when that began, ended and was undone', async () => {
    const { firm, ada, lead } = await ready();
    const id = await lead({ lastName: 'Quill' });
    const archived = await ada.send('/leads?view=list', { do: 'all-status:ARCHIVE', id });
    expect(archived.status).toBe(303);
    const [change] = await sql`select id from bulk_change where firm_id = ${firm.id}`;
    expect((await ada.send(`/bulk/${change?.id}/undo`, {})).status).toBe(303);
    const { text } = await ada.get(`${here}?kind=bulk_change`);
    const verbs = rowsOf(text).map(
      (row) => / (\w+(?: to undo)?) the change of several records/.exec(row)?.[1],
    );
    expect(verbs.toReversed()).toEqual(['began', 'finished', 'began to undo', 'undid']);
  });

  test('says days in words, a text as it was written, and of a new record what is not empty', async () => {
    const { firm, ada, lead } = await ready();
    const id = await lead({
      lastName: 'Roe',
      isPrivate: true,
      customFields: { Consultation: '2019-12-15', Reference: 'nothing' },
    });
    await firm.owner.patch(`/v1/leads/${id}`, { customFields: { Reference: '2019-12-16' } });
    await firm.owner.patch(`/v1/leads/${id}`, { customFields: { Consultation: '2018-01-31' } });
    const rows = rowsOf((await ada.get(`${here}?record=${id}`)).text);
    expect(rows[0]).toContain(
      'changed Consultation from 15 Dec 2019 to 31 Jan 2018 Consultation Consultation 15 Dec 2019 to 31 Jan 2018',
    );
    expect(rows[1]).toContain('Reference nothing to 2019-12-16');
    const created = rows.at(-1) ?? '';
    expect(created).toContain('Consultation 15 Dec 2019 Reference nothing');
    expect(created).toMatch(/created the lead L-0001 Roe \d+ fields /);
    expect(created.match(/Assigned/g)).toHaveLength(1);
    expect(created).not.toContain('Value');
  });

  test("names a note's record, and says moments in the firm's time zone", async () => {
    const { firm, ada, lead } = await ready();
    const id = await lead({ lastName: 'Roe' });
    await ada.send(`/leads/${id}/notes`, { text: 'Called back' });
    await ada.send('/settings/firm', { name: firm.firm.name, timeZone: 'Asia/Tokyo' });
    const [{ reason } = { reason: '' }] = await sql<{ reason: string }[]>`
      select id::text as reason from not_hired_reason where firm_id = ${firm.id} limit 1`;
    await ada.send(`/leads/${id}/not-hired`, { reasonId: reason });
    const { text } = await ada.get(here);
    const [{ decided } = { decided: '' }] = await sql<{ decided: string }[]>`
      select changes -> 'decidedAt' ->> 'after' as decided from audit_entry
      where firm_id = ${firm.id} and record_id = ${id} and changes ? 'decidedAt'`;
    const there = { timeZone: 'Asia/Tokyo', hour: '2-digit', minute: '2-digit' } as const;
    const clock = new Date(decided).toLocaleTimeString('en-GB', there);
    expect(rowsOf(text).find((row) => row.includes('marked the lead not hired'))).toContain(
      `, ${clock} `,
    );
    expect(rowsOf(text).find((row) => row.includes('a note about'))).toMatch(
      /Ada Harrow wrote a note about the lead L-0001 Roe/,
    );
  });

  test('is filtered by member, key, kind, record and day, and goes on to older entries', async () => {
    const { firm, ada, may } = await ready();
    for (let count = 0; count < 52; count += 1) {
      await may.send('/settings/lead-stages/stages', { name: `Stage ${count}` });
    }
    const by = firm.members[manager] ?? '';
    const first = await ada.get(`${here}?member=${by}&kind=lead_stage`);
    expect(rowsOf(first.text)).toHaveLength(50);
    expect(rowsOf(first.text)[0]).toContain('May Day created the lead stage Stage 51');
    const next = /href="([^"]*before=[^"]*)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(rowsOf((await ada.get(next)).text)).toHaveLength(2);
    const none = await ada.get(`${here}?member=${by}&kind=lead`);
    expect(none.text).toContain('No entries match.');
    const administrators = rowsOf((await ada.get(`${here}?member=none&kind=lead_stage`)).text);
    expect(administrators).toHaveLength(2);
    const keyed = rowsOf((await ada.get(`${here}?key=${firm.owner.keyId}`)).text);
    expect(keyed).toEqual([]);
    const today = new Date().toISOString().slice(0, 10);
    const [{ zone } = { zone: '' }] = await sql<{ zone: string }[]>`
      select time_zone as zone from firm where id = ${firm.id}`;
    expect(zone).not.toBe('');
    const at = (from: string, to: string) => ada.get(`${here}?from=${from}&to=${to}`);
    expect(rowsOf((await at(today, today)).text).length).toBe(50);
    expect((await at('2020-01-01', '2020-12-31')).text).toContain('No entries match.');
    for (const odd of ['member=x', 'from=2026-02-31', 'before=x', 'kind=constructor', 'record=1']) {
      expect((await ada.get(`${here}?${odd}`)).status).toBe(200);
    }
  });

  test("keeps a private lead's entries, its contact's and its notes' from those who may not see it", async () => {
    const { ada, may, ben, lead } = await ready();
    const open = await lead({ lastName: 'Openly' });
    await ada.send(`/leads/${open}/notes`, { text: 'Spoken' });
    const id = await lead({ lastName: 'Secretive', isPrivate: true });
    await ada.send(`/leads/${id}/notes`, { text: 'Whispered' });
    const shown = await ada.get(here);
    expect(shown.text).toContain('Secretive');
    expect(shown.text).toContain('Whispered');
    const own = await may.get(here);
    expect(own.text).toContain('Openly');
    expect(own.text).toContain('Spoken');
    for (const word of ['Secretive', 'Whispered', id]) expect(own.text).not.toContain(word);
    expect((await may.get(`${here}?record=${id}`)).text).toContain('No entries match.');
    expect((await ben.get(here)).status).toBe(403);
  });

  test('shows nothing of another firm', async () => {
    const [one, other] = [await ready(), await ready()];
    const id = await one.lead({ lastName: 'Elsewhere' });
    for (const query of ['', `?record=${id}`, `?member=${one.firm.members[owner]}`]) {
      expect((await other.ada.get(here + query)).text).not.toContain('Elsewhere');
    }
  });

  test('is verified: all fits, or the altered entry is named', async () => {
    const { firm, ada, may, lead } = await ready();
    const id = await lead({ lastName: 'Roe' });
    await sealed(firm.id);
    const fits = await may.get(`${here}?verify=yes`);
    expect(fits.text).toMatch(/Verified: \d+ entries, \d+ of them sealed. All fit./);
    const [{ hash } = { hash: '' }] = await sql<{ hash: string }[]>`
      select hash from audit_seal where firm_id = ${firm.id} order by seal_number desc limit 1`;
    expect(fits.text).toContain(hash);
    const [{ entry } = { entry: '' }] = await sql.begin(async (transaction) => {
      await transaction`set local session_replication_role = replica`;
      return transaction<{ entry: string }[]>`
        update audit_entry set changes = jsonb_set(changes, '{value}', '{"before":null,"after":"HIGH"}')
        where firm_id = ${firm.id} and record_id = ${id} returning id::text as entry`;
    });
    const bad = await ada.get(`${here}?verify=yes`);
    expect(bad.text).toContain('The log does not match its seals');
    expect(bad.text).toContain(`Entry ${entry}`);
    expect(bad.text).not.toContain('All fit.');
  });

  test('is exported by owners alone, as lines with seals or as CSV, and that is written down', async () => {
    const { firm, ada, may, lead } = await ready();
    await lead({ lastName: '=1+1' });
    expect((await may.send(`${here}/export`, { as: 'csv' })).status).toBe(403);
    expect((await may.get(here)).text).not.toContain('Export the audit log');
    const unproven = await memberBrowser(server, firm, owner, 'unproven');
    const asked = await unproven.send(`${here}/export`, { as: 'lines' });
    expect(asked.location).toStartWith('/settings/me/confirm');
    await sealed(firm.id);
    const lines = (await ada.send(`${here}/export`, { as: 'lines' })).text.trim().split('\n');
    const last = JSON.parse(lines.at(-1) ?? '') as { head: { entries: number; firmId: string } };
    expect(last.head).toMatchObject({ firmId: firm.id, entries: lines.length - 1 });
    expect(JSON.parse(lines[0] ?? '')).toHaveProperty('seal.hash');
    const csv = await ada.send(`${here}/export`, { as: 'csv' });
    expect(csv.text).toContain('At,Action,Record,Id,Member,Key,Request,Changes,Seal,Hash');
    expect(csv.text).toContain(',Ada Harrow,');
    expect(csv.text).not.toMatch(/[,\n]=1/);
    expect((await ada.send(`${here}/export`, { as: 'xml' })).status).toBe(422);
    expect(rowsOf((await ada.get(`${here}?kind=firm`)).text)[0]).toContain('exported');
  });
});
