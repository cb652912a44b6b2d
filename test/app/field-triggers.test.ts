/** Date rules that count from a DATE field that the firm added to its matters. */
import { describe, expect, test } from 'bun:test';
import { memberBrowser } from '../support/app.ts';
import { connect } from '../support/database.ts';
import { makeFirm, owner, startTestServer } from '../support/firm.ts';
import { attributesIn, textIn, textsIn } from '../support/html.ts';
import { addRuledDates, askedMoves, makeRules, offeredDates } from '../support/ruled-dates.ts';

const server = await startTestServer();
const sql = connect(server.databaseUrl);
const rulesPath = '/settings/date-rules';
const fieldsPath = '/settings/fields';

const answer = {
  name: 'Answer is due',
  amount: '21',
  unit: 'days',
  direction: 'after',
  rolling: 'next',
  practiceAreaId: '',
  makes: 'task',
};

/** A firm with a rule that counts from the field "Served on" of its matters, and a matter without a value. */
const ready = async (fieldName = 'Served on') => {
  const firm = await makeFirm(server);
  const ada = await memberBrowser(server, firm, owner);
  const add = async (name: string, type: string, appliesTo = 'MATTER') => {
    await ada.send(fieldsPath, { appliesTo, name, type });
    const [row] = await sql<{ id: string }[]>`select id::text as id from custom_field
      where firm_id = ${firm.id} and name = ${name}`;
    return row?.id ?? '';
  };
  const field = await add(fieldName, 'DATE');
  const { [answer.name]: rule = '' } = await makeRules(ada, [
    { ...answer, trigger: `field:${field}` },
  ]);
  const practiceAreaId = firm.practiceAreas.Family?.id;
  const body = { practiceAreaId, title: 'Moss v Lane', openDate: '2088-02-29' };
  const matter = (await firm.owner.post('/v1/matters', body)).body.data.id as string;
  const set = (day: string | null) =>
    firm.owner.patch(`/v1/matters/${matter}`, { customFields: { [fieldName]: day } });
  return { firm, ada, add, field, rule, matter, path: `/matters/${matter}`, set };
};

type Ready = Awaited<ReturnType<typeof ready>>;

const offered = ({ ada, path }: Ready) => offeredDates(ada, path);
const asked = ({ ada, path }: Ready) => askedMoves(ada, path);

const dueIn = async ({ firm, matter }: Ready) => {
  const rows = await sql<{ day: string }[]>`select due_on::text as day from task
    where firm_id = ${firm.id} and matter_id = ${matter} and cancelled_at is null`;
  return rows.map(({ day }) => day);
};

const removeField = async ({ ada, field }: Ready) => {
  const { text } = await ada.get(`${fieldsPath}/${field}`);
  const [standing = '', deleted = ''] = ['standing', 'deleted'].map(
    (name) => attributesIn(text, `#remove input[name=${name}]`, 'value')[0],
  );
  const sent = await ada.send(`${fieldsPath}/${field}/remove`, { standing, deleted });
  return { dialog: textIn(text, '#remove'), status: sent.status };
};

describe('Date rules that count from a field of matters', () => {
  test('say which field is empty, and count from its value', async () => {
    const at = await ready();
    const { ada, rule } = at;
    const page = (await ada.get(`${rulesPath}/${rule}?from=2092-03-03`)).text;
    expect(textIn(page, '.head')).toContain('21 days after “Served on”');
    expect(textsIn(page, '#example [role=status] p')[0]).toBe(
      '21 days from Mon 3 Mar 2092 = Mon 24 Mar 2092',
    );
    expect(textsIn(page, 'select[name=trigger] option')).toEqual([
      'Opening day',
      'Limitation date',
      'Served on',
    ]);
    expect(await offered(at)).toEqual({
      values: [],
      hints: [],
      others: ['Answer is due: the matter’s field “Served on” is empty.'],
    });
    await at.set('2092-03-03');
    expect(await offered(at)).toEqual({
      values: [`${rule}:2092-03-24`],
      hints: ['21 days from Mon 3 Mar 2092 = Mon 24 Mar 2092. A task.'],
      others: [],
    });
    await addRuledDates(ada, at.matter);
    expect(await dueIn(at)).toEqual(['2092-03-24']);
    expect((await offered(at)).others).toEqual(['Answer is due: added already.']);
  });

  test('ask whether their dates move when the value changes or is cleared', async () => {
    const at = await ready();
    const { ada, path } = at;
    await at.set('2092-03-03');
    await addRuledDates(ada, at.matter);
    expect((await asked(at)).titles).toEqual([]);
    await at.set('2092-03-10');
    const question = await asked(at);
    expect(question.titles).toEqual(['“Served on” moved from Mon 3 Mar 2092 to Mon 10 Mar 2092']);
    expect(question.lines).toEqual([
      'Answer is due: Mon 24 Mar 2092 → Mon 31 Mar 2092. 21 days from Mon 10 Mar 2092 = Mon 31 Mar 2092.',
    ]);
    expect((await offered(at)).others).toEqual([
      'Answer is due: added already. Say on the matter’s page whether the date moves.',
    ]);
    const foreign = question.fields.map(([name, value]): [string, string] =>
      name === 'trigger' ? [name, 'opened'] : [name, value],
    );
    const refused = await ada.send(`${path}/rules/moved`, [...foreign, ['answer', 'move']]);
    expect(refused.status).toBe(422);
    const sent = await ada.send(`${path}/rules/moved`, [...question.fields, ['answer', 'move']]);
    expect(sent.status).toBe(303);
    expect(await dueIn(at)).toEqual(['2092-03-31']);
    expect((await asked(at)).titles).toEqual([]);
    await at.set(null);
    const cleared = await asked(at);
    expect(cleared.titles).toEqual(['“Served on”, Mon 10 Mar 2092, was removed']);
    expect(cleared.lines).toEqual(['Answer is due: Mon 31 Mar 2092.']);
    await at.set('2092-03-10');
    expect((await asked(at)).titles).toEqual([]);
  });

  test('say that their field was removed, give no dates, and leave those that they made', async () => {
    const at = await ready();
    const { ada, rule } = at;
    await at.set('2092-03-03');
    await addRuledDates(ada, at.matter);
    const { dialog, status } = await removeField(at);
    expect(dialog).toContain(
      '1 date rule counts from it: Answer is due. The rule gives no dates any more. Dates that it has created stay.',
    );
    expect(status).toBe(303);
    const page = (await ada.get(`${rulesPath}/${rule}`)).text;
    expect(textIn(page, '.banner')).toContain('The field that this rule counts from was removed.');
    expect(textIn(page, '.head')).toContain('21 days after a field that was removed');
    expect(textsIn((await ada.get(rulesPath)).text, 'tbody th div')).toEqual([
      '21 days after a field that was removed',
    ]);
    expect((await asked(at)).titles).toEqual([]);
    expect(await dueIn(at)).toEqual(['2092-03-24']);
    const [task] = await sql<{ id: string }[]>`select id::text as id from task
      where firm_id = ${at.firm.id}`;
    await ada.send(`/tasks/${task?.id}/move`, { to: 'cancelled' });
    expect((await offered(at)).others).toEqual([
      'Answer is due: the field that it counts from was removed.',
    ]);
    const kept = { ...answer, name: 'Answer', trigger: `field:${at.field}` };
    expect((await ada.send(`${rulesPath}/${rule}`, kept)).status).toBe(303);
    const other = { ...kept, trigger: 'opened' };
    expect((await ada.send(`${rulesPath}/${rule}`, other)).status).toBe(303);
    expect((await ada.send(`${rulesPath}/${rule}`, kept)).status).toBe(422);
    expect((await offered(at)).hints).toEqual([
      '21 days from Sun 29 Feb 2088 = Sun 21 Mar 2088 → Mon 22 Mar 2088. Sunday is not a working day. A task.',
    ]);
  });

  test('count from a DATE field of the firm’s own matters alone', async () => {
    const [at, other] = [await ready(), await ready()];
    const wrong = [
      await at.add('Court', 'TEXT'),
      await at.add('Born on', 'DATE', 'CONTACT'),
      other.field,
      'x',
      '',
    ];
    for (const field of wrong) {
      const sent = await at.ada.send(rulesPath, {
        do: 'new-rule',
        ...answer,
        name: 'Another',
        trigger: `field:${field}`,
      });
      const said = textsIn(sent.text, '.refusal').join(' ');
      expect([sent.status, said]).toEqual([
        422,
        expect.stringContaining('no longer exists. Choose another.'),
      ]);
    }
    expect((await at.ada.get(rulesPath)).text).not.toContain('Another');
  });

  test('show a hostile name as text, and what they counted from in the audit log', async () => {
    const hostile = `<img src=x onerror=alert(1)> "quoted" ‮ 𝒟 : ${crypto.randomUUID()}`;
    const at = await ready(hostile);
    await at.set('2092-03-03');
    await addRuledDates(at.ada, at.matter);
    await at.set('2092-03-10');
    const shown = [
      (await at.ada.get(at.path)).text,
      (await at.ada.get(`${at.path}/rules`)).text,
      (await at.ada.get(rulesPath)).text,
      (await at.ada.get(`${rulesPath}/${at.rule}`)).text,
    ];
    for (const text of shown) expect(text).not.toContain('<img src=x');
    expect((await asked(at)).titles[0]).toContain('<img src=x onerror=alert(1)>');
    await at.ada.send(`${rulesPath}/${at.rule}`, { ...answer, trigger: 'limitation' });
    const [entry] = await sql`select changes -> 'fieldId' as field, changes -> 'trigger' as trigger
      from audit_entry where firm_id = ${at.firm.id} and record_id = ${at.rule} and action = 'update'`;
    expect(entry).toEqual({
      field: { before: at.field, after: null },
      trigger: { before: 'field', after: 'limitation' },
    } as never);
    const log = await at.ada.get('/settings/audit');
    expect([log.status, log.text.includes('<img src=x')]).toEqual([200, false]);
  });
});
