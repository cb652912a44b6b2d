/** Task lists in the settings: made, changed by two people, started from an example, and removed. */
import { describe, expect, test } from 'bun:test';
import { exampleLists } from '../../src/task-lists/examples.ts';
import { memberBrowser } from '../support/app.ts';
import { connect } from '../support/database.ts';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { attributesIn, partsIn, textIn, textsIn } from '../support/html.ts';

const server = await startTestServer();
const sql = connect(server.databaseUrl);
const path = '/settings/task-lists';

const ready = async () => {
  const firm = await makeFirm(server);
  return { firm, ada: await memberBrowser(server, firm, owner) };
};

const line = {
  ...{ title: 'Send the letter', trigger: 'applied', amount: '1', unit: 'workingDays' },
  ...{ direction: 'after', assignee: 'RESPONSIBLE_STAFF' },
};

/** A list's tasks, each with the day and the person below it. */
const linesOn = (text: string) =>
  partsIn(text, '#lines .rows .grow').map(({ text: whole }, at) => {
    const below = textsIn(text, '#lines .rows .sub')[at] ?? '';
    return [whole.slice(0, -below.length).trim(), below].join(' | ');
  });

describe('A task list', () => {
  test('is made with an area, gets tasks that are changed, moved and removed, and each change is in the audit log', async () => {
    const { firm, ada } = await ready();
    expect((await ada.get(path)).text).toContain('There is no task list yet.');
    const area = firm.practiceAreas.Family?.id ?? '';
    const made = await ada.send(path, { name: 'Opened', practiceAreaId: area });
    const at = made.location ?? '';
    expect(at).toMatch(/^\/settings\/task-lists\/[\w-]{36}$/);
    expect((await ada.send(path, { name: 'Opened' })).status).toBe(422);
    expect((await ada.send(`${at}/lines`, line)).location).toBe(at);
    await ada.send(`${at}/lines`, {
      ...{ ...line, title: 'File', trigger: 'limitation', amount: '10', direction: 'before' },
      assignee: '',
    });
    await ada.send(`${at}/lines`, { ...line, title: 'Think', trigger: '', amount: '' });
    expect(linesOn((await ada.get(at)).text)).toEqual([
      'Send the letter | 1 working day after the day the list is added · Responsible staff',
      'File | 10 working days before the limitation date · Nobody',
      'Think | No day · Responsible staff',
    ]);
    const [first] = attributesIn((await ada.get(at)).text, 'form[action$="/remove"]', 'action')
      .map((action) => action.replace('/remove', ''))
      .filter((action) => action.includes('/lines/'));
    const one = first ?? '';
    await ada.send(one, { ...line, title: 'Send both letters', amount: '0' });
    await ada.send(`${one}/move`, { by: 'down' });
    expect(linesOn((await ada.get(at)).text).slice(0, 2)).toEqual([
      'File | 10 working days before the limitation date · Nobody',
      'Send both letters | On the day the list is added · Responsible staff',
    ]);
    await ada.send(`${one}/remove`, {});
    expect(linesOn((await ada.get(at)).text)).toHaveLength(2);
    expect((await ada.get(path)).text).toContain('2 tasks');
    const entries = await sql`
      select action, record_kind from audit_entry
      where firm_id = ${firm.id} and record_kind like 'task_list%' order by id`;
    expect(entries.map(({ action, record_kind }) => `${action} ${record_kind}`)).toEqual([
      'create task_list',
      ...Array(3).fill('create task_list_line'),
      ...Array(3).fill('update task_list_line'),
      'delete task_list_line',
    ]);
    expect((await ada.send(`${at}/remove`, {})).location).toBe(path);
    expect((await ada.get(at)).status).toBe(404);
    // Its name is free again.
    expect((await ada.send(path, { name: 'Opened' })).status).toBe(303);
  });

  test('counts from a field of matters and from an event of a kind, as date rules do, and keeps what it counts from', async () => {
    const [{ firm, ada }, other] = [await ready(), await ready()];
    const idOf = async (name: string, of = firm) => {
      const [row] = await sql<{ id: string }[]>`
        select id::text as id from custom_field where firm_id = ${of.id} and name = ${name}
        union all select id::text from event_kind where firm_id = ${of.id} and name = ${name}`;
      return row?.id ?? '';
    };
    for (const [appliesTo, name, type] of [
      ['MATTER', 'Served on', 'DATE'],
      ['MATTER', 'Court', 'TEXT'],
      ['LEAD', 'Called on', 'DATE'],
    ] as const) {
      await ada.send('/settings/fields', { appliesTo, name, type });
    }
    for (const one of [ada, other.ada]) {
      await one.send('/settings/event-kinds/kinds', { name: 'Hearing' });
    }
    const [field, kind] = [await idOf('Served on'), await idOf('Hearing')];
    const at = (await ada.send(path, { name: 'Opened' })).location ?? '';
    expect(textsIn((await ada.get(at)).text, '#new-line select[name=trigger] option')).toEqual([
      ...['No due date', 'Day the list is added', 'Opening day', 'Limitation date'],
      ...['Served on', 'Event: Hearing'],
    ]);
    for (const wrong of [
      `field:${await idOf('Court')}`,
      `field:${await idOf('Called on')}`,
      `event:${await idOf('Hearing', other.firm)}`,
      ...['field:x', 'field', 'event:', `event:${field}`, `field:${kind}`],
    ]) {
      const refused = await ada.send(`${at}/lines`, { ...line, do: 'new-line', trigger: wrong });
      expect([wrong, refused.status, textsIn(refused.text, '.refusal').join()]).toEqual([
        wrong,
        422,
        expect.stringContaining('no longer exists. Choose another.'),
      ]);
    }
    await ada.send(`${at}/lines`, { ...line, trigger: `field:${field}`, amount: '21' });
    const before = { ...line, direction: 'before', assignee: '' };
    await ada.send(`${at}/lines`, { ...before, title: 'Bundle', trigger: `event:${kind}` });
    await ada.send(`${at}/lines`, { ...line, title: 'Go', trigger: `event:${kind}`, amount: '0' });
    const sentence = '21 working days after “Served on” · Responsible staff';
    expect(linesOn((await ada.get(at)).text)).toEqual([
      `Send the letter | ${sentence}`,
      'Bundle | 1 working day before the event “Hearing” · Nobody',
      'Go | On the event “Hearing” · Responsible staff',
    ]);
    // A kind that is counted from stays; renamed, it and the field are called so here too.
    const kindPath = `/settings/event-kinds/kinds/${kind}`;
    const kept = await ada.send(`${kindPath}/remove`, {});
    expect([kept.status, textIn(kept.text, '.banner.danger')]).toEqual([
      422,
      expect.stringContaining('The task list "Opened" counts from events of this kind.'),
    ]);
    await ada.send(kindPath, { name: 'Trial' });
    await ada.send(`/settings/fields/${field}`, { name: 'Served' });
    const renamed = (await ada.get(at)).text;
    expect(linesOn(renamed).slice(0, 2)).toEqual([
      'Send the letter | 21 working days after “Served” · Responsible staff',
      'Bundle | 1 working day before the event “Trial” · Nobody',
    ]);
    const ones = attributesIn(renamed, 'form[action*="/lines/"][action$="/remove"]', 'action');
    const [letter = '', bundle = '', go = ''] = ones.map((one) => one.replace('/remove', ''));
    await ada.send(`${bundle}/remove`, {});
    expect((await ada.send(`${kindPath}/remove`, {})).status).toBe(422);
    await ada.send(go, { ...line, title: 'Go', trigger: 'opened' });
    expect((await ada.send(`${kindPath}/remove`, {})).status).toBe(303);
    // A field that was removed stays in its task until it counts from another day.
    const fieldPage = (await ada.get(`/settings/fields/${field}`)).text;
    expect(textIn(fieldPage, '#remove')).toContain(
      '1 task list counts from it: Opened. Their tasks that count from the field get no due date any more. Tasks that were added stay as they are.',
    );
    const none = { standing: '0', deleted: '0' };
    expect((await ada.send(`/settings/fields/${field}/remove`, none)).status).toBe(303);
    const gone = (await ada.get(at)).text;
    expect(textIn(gone, '.banner.warn')).toContain('count from a field that was removed');
    const now = { ...line, trigger: `field:${field}`, amount: '20' };
    expect((await ada.send(letter, now)).status).toBe(303);
    expect(linesOn((await ada.get(at)).text)[0]).toBe(
      'Send the letter | 20 working days after a field that was removed · Responsible staff',
    );
    expect((await ada.send(letter, { ...now, trigger: '' })).status).toBe(303);
    expect((await ada.send(letter, now)).status).toBe(422);
    expect((await ada.get(at)).text).not.toContain('field that was removed');
    const [entry] = await sql`
      select changes -> 'fieldId' as field, changes -> 'trigger' as trigger from audit_entry
      where firm_id = ${firm.id} and record_kind = 'task_list_line' and action = 'update'
      order by id desc limit 1`;
    expect(entry).toEqual({
      field: { before: field, after: null },
      trigger: { before: 'field', after: null },
    } as never);
    const log = textsIn((await ada.get('/settings/audit')).text, 'main').join(' ');
    expect(log).toContain('Served');
  });

  test('is for one stage of an area; one that is removed later may stay, and is offered no more', async () => {
    const { firm, ada } = await ready();
    const family = firm.practiceAreas.Family;
    const filed = family?.stages.Filed ?? '';
    const at = (await ada.send(path, { name: 'On filing', practiceAreaId: filed })).location ?? '';
    const shownAs = async () => textsIn((await ada.get(path)).text, 'tbody td').slice(0, 1);
    expect(await shownAs()).toEqual(['Family: Filed']);
    const chosen = async () =>
      attributesIn((await ada.get(at)).text, 'option[selected]', 'value').filter((id) =>
        [filed, family?.id].includes(id),
      );
    expect(await chosen()).toEqual([filed]);
    await ada.send(`/settings/practice-areas/${family?.id}/stages/${filed}/remove`, {});
    expect(await shownAs()).toEqual(['A removed stage']);
    expect(await chosen()).toEqual([filed]);
    expect((await ada.send(at, { name: 'Filed', practiceAreaId: filed })).status).toBe(303);
    const other = await ada.send(path, { name: 'Late', practiceAreaId: filed });
    expect(other.status).toBe(422);
    // A stage of another firm is none.
    const elsewhere = await ready();
    const theirs = { name: 'Theirs', practiceAreaId: filed };
    expect((await elsewhere.ada.send(path, theirs)).status).toBe(422);
    expect((await elsewhere.ada.get(path)).text).toContain('There is no task list yet.');
    await ada.send(at, { name: 'Filed', practiceAreaId: family?.id ?? '' });
    expect(await shownAs()).toEqual(['Family']);
    const [changed] = await sql`
      select changes -> 'stageId' ->> 'before' as before, changes -> 'stageId' ->> 'after' as after
      from audit_entry where firm_id = ${firm.id} and record_kind = 'task_list'
      order by id desc limit 1`;
    expect(changed).toEqual({ before: filed, after: null });
  });

  test('refuses what is no task, naming the field, and takes it from those alone who change the settings', async () => {
    const { firm, ada } = await ready();
    const at = (await ada.send(path, { name: 'Opened' })).location ?? '';
    for (const [fields, words] of [
      [{ title: ' ' }, 'Enter a task.'],
      [{ amount: '1001' }, 'from 0 to 1,000'],
      [{ amount: '-1' }, 'from 0 to 1,000'],
      [{ trigger: 'someday' }, 'Due date counted from'],
      [{ assignee: 'JUDGE' }, 'Assigned to'],
    ] as const) {
      const refused = await ada.send(`${at}/lines`, { ...line, do: 'new-line', ...fields });
      expect([fields, refused.status]).toEqual([fields, 422]);
      expect(textsIn(refused.text, '.refusal').join(' ')).toContain(words);
    }
    const odd = await ada.send(path, { name: 'More', practiceAreaId: crypto.randomUUID() });
    expect(odd.status).toBe(422);
    const ben = await memberBrowser(server, firm, attorney);
    expect((await ben.get(path)).status).toBe(403);
    expect((await ben.send(`${at}/lines`, line)).status).toBe(403);
    const other = await ready();
    expect((await other.ada.get(at)).status).toBe(404);
    expect((await other.ada.send(`${at}/lines`, line)).status).toBe(404);
  });

  test('changed by two people keeps both changes, and refuses the second change of one field', async () => {
    const { ada } = await ready();
    const at = (await ada.send(path, { name: 'Opened' })).location ?? '';
    await ada.send(`${at}/lines`, line);
    const [remove = ''] = attributesIn(
      (await ada.get(at)).text,
      'form[action*="/lines/"][action$="/remove"]',
      'action',
    );
    const one = remove.replace('/remove', '');
    const was = Object.fromEntries(
      Object.entries(line).map(([name, value]) => [`was.${name}`, value]),
    );
    expect((await ada.send(one, { ...line, ...was, amount: '2' })).status).toBe(303);
    expect((await ada.send(one, { ...line, ...was, title: 'Both' })).status).toBe(303);
    expect(linesOn((await ada.get(at)).text)).toEqual([
      'Both | 2 working days after the day the list is added · Responsible staff',
    ]);
    const late = await ada.send(one, { ...line, ...was, amount: '5' });
    expect(late.status).toBe(422);
  });

  test('is started from an example, once for one press, and is the firm’s own then', async () => {
    const { ada } = await ready();
    const [example] = exampleLists;
    const fields = { example: example?.name ?? '', once: crypto.randomUUID() };
    const at = (await ada.send(`${path}/example`, fields)).location ?? '';
    expect((await ada.send(`${path}/example`, fields)).location).toBe(at);
    expect(linesOn((await ada.get(at)).text)).toHaveLength(example?.lines.length ?? -1);
    await ada.send(at, { name: 'Ours', practiceAreaId: '' });
    expect(textsIn((await ada.get(path)).text, 'tbody a.name')).toEqual(['Ours']);
  });
});
