/** Home, the reports and the contacts in a real browser: looked at at two widths, in both themes. */
import { describe, expect, test } from 'bun:test';
import {
  expectAccessible,
  hasBrowser,
  openWindow,
  phone,
  signIn,
  takePicture,
} from '../support/browser.ts';
import { connect } from '../support/database.ts';
import { makeFirm, owner, startTestServer } from '../support/firm.ts';

const server = await startTestServer();
const sql = connect(server.databaseUrl);

const stages = ['New', 'Contacted', 'Consultation', 'Fee proposal', 'Awaiting signature'];
const sources = ['Website', 'Referral', 'Past client'];
const names = ['Nguyễn Thị Minh Khai', 'Zoë Brontë-Whitfield', 'Björn Åkesson', 'Ama Owusu'];

const newFirm = async () => {
  const firm = await makeFirm(server, {
    leadStages: stages,
    customFields: [{ on: 'lead', name: 'Source', type: 'SELECT', options: sources }],
  });
  const field = firm.customFields.lead.Source ?? '';
  await sql`update firm set source_field_id = ${field} where id = ${firm.id}`;
  for (let at = 0; at < 16; at += 1) {
    const source = sources[at % 4];
    const area = at % 3 === 0 ? firm.practiceAreas.Family : firm.practiceAreas.Estates;
    const { body } = await firm.owner.post('/v1/leads', {
      lastName: names[at % 4],
      emails: [`prospect${at}@mail.example`],
      ...(source && { customFields: { Source: source } }),
      ...(at % 5 > 0 && { practiceAreaId: area?.id }),
      leadStageColumnId: firm.leadStages[stages[at % 5] ?? ''],
    });
    const status = at % 4 === 1 ? 'HIRED' : at % 7 === 3 ? 'NOT_HIRED' : 'ACTIVE';
    await sql`update lead set status = ${status},
        decided_at = case when ${status} = 'ACTIVE' then null else moment() end,
        created_at = greatest(moment() - make_interval(mins => ${at * 3}), date_trunc('year', moment(), 'UTC'))
      where firm_id = ${firm.id} and id = ${body.data.id}`;
  }
  const contact = await firm.owner.post('/v1/contacts', { type: 'PERSON', lastName: 'Oyelaran' });
  for (const [title, days] of Object.entries({ 'Oyelaran v Brightwater Lidos Ltd': -11, Roe: 9 })) {
    const day = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    await firm.owner.post('/v1/matters', {
      title,
      solDate: day,
      openDate: '2026-01-01',
      practiceAreaId: firm.practiceAreas.Family?.id,
      stageId: firm.practiceAreas.Family?.stages.Intake,
      clientContactIds: [contact.body.data.id],
      team: [{ memberId: firm.members[owner], role: 'RESPONSIBLE_ATTORNEY' }],
    });
  }
  return firm;
};

const pages = {
  home: '/',
  intake: '/reports/intake?period=year',
  speed: '/reports/speed?period=year',
  contacts: '/contacts?sort=name',
};

describe.skipIf(!hasBrowser)('Home, reports and contacts', () => {
  test('are without barriers, fit a phone, and a figure opens its list', async () => {
    const firm = await newFirm();
    for (const [width, options] of [
      [1280, {}],
      [390, phone],
    ] as const) {
      const window = await openWindow(server.url, options);
      await signIn(window, server, firm, owner);
      const { page, complaints } = window;
      for (const [name, address] of Object.entries(pages)) {
        await page.goto(address);
        await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
        await takePicture(window, `${name}-${width}`);
        await expectAccessible(window);
        await takePicture(window, `${name}-${width}-dark`);
        const wider = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(wider, `${name} at ${width}`).toBe(0);
      }
      if (width === 1280) {
        await page.goto('/');
        await page
          .getByRole('button', { name: 'Assign to me: Nguyễn Thị Minh Khai' })
          .first()
          .click();
        await page.getByRole('link', { name: 'Mine (1)' }).waitFor();
        await page.goto(pages.intake);
        await page.getByLabel('Period').selectOption('own');
        await page.getByLabel('From').waitFor();
        await page.getByRole('link', { name: '16', exact: true }).first().click();
        await page.getByText('1–16 of 16').waitFor();
        await page.goto('/contacts');
        await page.getByRole('searchbox').fill('zoe');
        await page.getByRole('searchbox').press('Enter');
        await page.getByText('1–4 of 4').waitFor();
      }
      expect(complaints).toEqual([]);
      await window.close();
    }
  });
});
