/** What a newcomer to the demonstration sees of date rules. */
import { expect, test } from 'bun:test';
import { memberBrowser } from '../support/app.ts';
import { connect } from '../support/database.ts';
import { startTestServer } from '../support/firm.ts';
import { fullOwner, makeFullFirm } from '../support/full-firm.ts';
import { attributeIn, textsIn } from '../support/html.ts';

const server = await startTestServer();
const sql = connect(server.databaseUrl);

test('The demonstration has rules, a date that waits for a second person, and two whose day moved', async () => {
  const firm = await makeFullFirm(server);
  const ada = await memberBrowser(server, firm, fullOwner);
  const rules = (await ada.get('/settings/date-rules')).text;
  expect(textsIn(rules, 'tbody th div')).toEqual(
    expect.arrayContaining([
      '20 working days after “Served on”',
      '3 months after the opening day',
      '6 weeks before the limitation date',
    ]),
  );
  const holidays = (await ada.get('/settings/holidays')).text;
  expect(attributeIn(holidays, 'option[selected]', 'value')).toBe('GB-ENG');
  expect(textsIn(holidays, '#next li .grow')).toContain('Boxing Day');
  const matters = await sql<{ id: string }[]>`
    select made.matter_id::text as id from ruled_date made
    join date_rule rule on rule.firm_id = made.firm_id and rule.id = made.rule_id
    where made.firm_id = ${firm.id} and rule.name = 'Answer is due'
    order by made.matter_id`;
  const pages = await Promise.all(
    matters.map(async ({ id }) => (await ada.get(`/matters/${id}`)).text),
  );
  const said = pages.map((page) => [
    ...textsIn(page, '.moved h2').map((title) => title.split(' moved from ')[0]),
    ...textsIn(page, '#confirmations'),
  ]);
  expect(said.sort()).toEqual([['1 date is not confirmed'], ['“Served on”'], ['“Served on”']]);
});
