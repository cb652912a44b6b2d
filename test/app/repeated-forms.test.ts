/** A form whose answer was lost is sent again: what it makes is made once. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { pages } from '../../src/app/pages.ts';
import { chooseHolidays } from '../../src/firm/holidays/days.ts';
import { administrator } from '../../src/record/actor.ts';
import { exampleLists } from '../../src/task-lists/examples.ts';
import { partsOf, sentBy } from '../support/crawl.ts';
import { onDatabase } from '../support/database.ts';
import { attorney, type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { partsIn, textsIn } from '../support/html.ts';
import { type Visitor, visitorOf } from '../support/visitor.ts';

const server = await startTestServer();
let firm: Firm;
let ada: Visitor;
beforeAll(async () => {
  firm = await makeFirm(server);
  ada = await visitorOf(server, firm, owner);
});

/** What a page's form to this address would send. */
const shownForm = async (visitor: Visitor, page: string, action: string) => {
  const { text } = await visitor.get(page);
  const { forms } = await partsOf(text, page);
  const form = forms.find((one) => one.method === 'post' && one.action === action);
  if (!form) throw new Error(`${page} has no form to ${action}.`);
  return sentBy(form);
};

const makeLead = async (lastName: string) =>
  (await firm.owner.post('/v1/leads', { lastName })).body.data.id as string;
const makeMatter = async (title: string) => {
  const practiceAreaId = firm.practiceAreas.Family?.id;
  const body = { practiceAreaId, openDate: '2026-03-03', title };
  return (await firm.owner.post('/v1/matters', body)).body.data.id as string;
};

type Sending = {
  page: string;
  action: string;
  typed: Record<string, string>;
  made: string;
  words?: string;
};

/** A page, the form on it, what is typed into it, and the words that one made record shows. */
const sendings: [string, () => Promise<Sending>][] = [
  [
    'a lead',
    async () => ({
      page: '/leads/new',
      action: '/leads/new',
      typed: { lastName: 'Onceler', email: 'once@leads.example' },
      made: '/leads?view=list',
    }),
  ],
  [
    'a contact',
    async () => ({
      page: '/contacts/new',
      action: '/contacts/new',
      typed: { type: 'PERSON', lastName: 'Onceler' },
      made: '/contacts',
    }),
  ],
  [
    'a matter with its new client',
    async () => ({
      page: '/matters/new',
      action: '/matters/new',
      typed: {
        title: 'Onceler',
        lastName: 'Client',
        email: 'client@once.example',
        practiceAreaId: firm.practiceAreas.Family?.id ?? '',
      },
      made: '/matters?view=list',
    }),
  ],
  [
    'a note',
    async () => {
      const page = `/leads/${await makeLead('Noted')}`;
      return { page, action: `${page}/notes`, typed: { text: 'Onceler called.' }, made: page };
    },
  ],
  [
    'a task',
    async () => {
      const matter = await makeMatter('Tasked');
      const page = `/tasks/new?matter=${matter}`;
      return {
        page,
        action: page,
        typed: { repeats: '', title: 'Onceler' },
        made: `/matters/${matter}`,
      };
    },
  ],
  [
    'an event',
    async () => {
      const matter = await makeMatter('Dated');
      const page = `/calendar/new?matter=${matter}`;
      const typed = { title: 'Onceler', day: '2027-03-03', begins: '09:00', ends: '10:00' };
      return { page, action: page, typed, made: `/matters/${matter}` };
    },
  ],
  [
    'a hire',
    async () => {
      const page = `/leads/${await makeLead('Hired')}`;
      const typed = {
        title: 'Onceler',
        practiceAreaId: firm.practiceAreas.Family?.id ?? '',
        openDate: '2026-03-03',
      };
      return { page, action: `${page}/hire`, typed, made: '/matters?view=list' };
    },
  ],
  [
    'a task list',
    async () => {
      const page = '/settings/task-lists';
      return { page, action: page, typed: { name: 'Onceler' }, made: page };
    },
  ],
  [
    'a task of a list',
    async () => {
      const { location } = await ada.post('/settings/task-lists', { name: 'Grows' });
      const page = location ?? '';
      return { page, action: `${page}/lines`, typed: { title: 'Onceler' }, made: page };
    },
  ],
  [
    'the tasks of a list',
    async () => {
      const { location } = await ada.post('/settings/task-lists', { name: 'Given' });
      await ada.post(`${location}/lines`, { title: 'Onceler', unit: 'days' });
      const matter = await makeMatter('Given a list');
      const list = location?.split('/').at(-1) ?? '';
      const action = `/tasks/from-list?matter=${matter}`;
      return { page: `${action}&list=${list}`, action, typed: {}, made: `/matters/${matter}` };
    },
  ],
  [
    'an example of a task list',
    async () => {
      const page = '/settings/task-lists';
      const [{ name: words = '' } = {}] = exampleLists;
      const typed = { example: words };
      return { page, action: `${page}/example`, typed, made: page, words };
    },
  ],
  [
    'a note of a matter',
    async () => {
      const page = `/matters/${await makeMatter('Noted')}`;
      return { page, action: `${page}/notes`, typed: { text: 'Onceler called.' }, made: page };
    },
  ],
  [
    'a note of a contact',
    async () => {
      const { location } = await ada.post('/contacts/new', { type: 'PERSON', lastName: 'Noted' });
      const page = location ?? '';
      return { page, action: `${page}/notes`, typed: { text: 'Onceler called.' }, made: page };
    },
  ],
  [
    'a call',
    async () => {
      const made = `/leads/${await makeLead('Called')}`;
      const page = `/calls/new?about=${made}`;
      return { page, action: '/calls/new', typed: { about: made, text: 'Onceler' }, made };
    },
  ],
  [
    'a holiday of the firm',
    async () => {
      const page = '/settings/holidays';
      return {
        page,
        action: `${page}/own`,
        typed: { name: 'Onceler', day: '2031-03-03' },
        made: page,
      };
    },
  ],
  [
    'a date rule',
    async () => {
      const page = '/settings/date-rules';
      return { page, action: page, typed: ruleOf('Onceler'), made: page };
    },
  ],
  [
    'the dates of rules',
    async () => {
      await ada.post('/settings/date-rules', ruleOf('Onceler draft'));
      const made = `/matters/${await makeMatter('Ruled')}`;
      return { page: `${made}/rules`, action: `${made}/rules`, typed: {}, made };
    },
  ],
];

const ruleOf = (name: string) => ({
  name,
  practiceAreaId: '',
  trigger: 'opened',
  direction: 'after',
  amount: '3',
  unit: 'years',
  rolling: 'none',
  makes: 'task',
});

/** The addresses to which these were sent. */
const sentTo: string[] = [];

/** How often a page shows these words, beside what its forms would edit. */
const timesOn = async (page: string, words = 'Onceler') => {
  const [main] = partsIn((await ada.get(page)).text, 'main');
  for (const field of main?.querySelectorAll('textarea') ?? []) field.remove();
  return (main?.text.split(words).length ?? 1) - 1;
};

describe('A form that is sent again unchanged', () => {
  test.each(sendings)('makes %s once, also at the same moment', async (_, describeIt) => {
    const { page, action, typed, made, words } = await describeIt();
    sentTo.push(action.split('?')[0] ?? '');
    const shown = { ...(await shownForm(ada, page, action)), ...typed };
    const before = await timesOn(made, words);
    const first = await ada.post(action, shown);
    expect([first.status, textsIn(first.text, '[role="alert"]')]).toEqual([303, []]);
    const once = await timesOn(made, words);
    expect(once).toBeGreaterThan(before);
    const again = await Promise.all([ada.post(action, shown), ada.post(action, shown)]);
    for (const { status, location } of again) {
      expect([status, location]).toEqual([303, first.location]);
    }
    expect(await timesOn(made, words)).toBe(once);
  });
});

test('each form that makes something once was among them', () => {
  // What answers a question makes nothing that could be counted: test/app/moved-dates.test.ts.
  const others = ['/matters/:id/rules/moved'];
  const forms = pages.flatMap((one) => (one.method === 'POST' && one.policy.once ? one.path : []));
  const isSent = (form: string) => {
    const pattern = new RegExp(`^${form.replaceAll(/:\w+/g, '[^/]+')}$`);
    return sentTo.some((path) => pattern.test(path));
  };
  expect(forms.filter((form) => !isSent(form))).toEqual(others);
});

test('a verb that answers nothing is done once, too', async () => {
  const answers = await onDatabase(server.databaseUrl, async (database) => {
    const answered = [];
    for (const place of ['US', 'DE']) {
      const repeatable = {
        keyFamilyId: firm.members[owner] ?? '',
        idempotencyKey: 'answers nothing',
        fingerprint: 'the same',
      };
      answered.push(
        await chooseHolidays({ ...administrator(database, firm.id), repeatable }, place),
      );
    }
    return answered;
  });
  expect(answers.map((answer) => answer ?? null)).toEqual([null, null]);
  expect((await ada.get('/settings/holidays')).text).toContain('selected>United States');
});

test('two at the same moment make one lead', async () => {
  const shown = { ...(await shownForm(ada, '/leads/new', '/leads/new')), lastName: 'Double' };
  const both = await Promise.all([ada.post('/leads/new', shown), ada.post('/leads/new', shown)]);
  expect(both.map(({ status }) => status)).toEqual([303, 303]);
  expect(new Set(both.map(({ location }) => location)).size).toBe(1);
});

describe('A form makes another', () => {
  test('if it was changed, if it was shown again, and if another member sends it', async () => {
    const path = `/leads/${await makeLead('Twice')}`;
    const shown = await shownForm(ada, path, `${path}/notes`);
    const ben = await visitorOf(server, firm, attorney);
    const send = (by: Visitor, fields: object) =>
      by.post(`${path}/notes`, { ...fields, text: 'The same words.' });
    await send(ada, shown);
    await send(ada, await shownForm(ada, path, `${path}/notes`));
    await send(ben, shown);
    await ada.post(`${path}/notes`, { ...shown, text: 'Other words.' });
    expect(await timesOn(path, 'The same words.')).toBe(3);
    expect(await timesOn(path, 'Other words.')).toBe(1);
  });

  test('if it says nothing of how often, as a form without its hidden field', async () => {
    const path = `/leads/${await makeLead('Plain')}`;
    for (const _ of [1, 2]) await ada.post(`${path}/notes`, { text: 'Said twice.' });
    expect(await timesOn(path, 'Said twice.')).toBe(2);
  });

  test('if the first was refused: nothing was made, so nothing is repeated', async () => {
    const shown = await shownForm(ada, '/leads/new', '/leads/new');
    expect((await ada.post('/leads/new', shown)).status).toBe(422);
    expect((await ada.post('/leads/new', { ...shown, lastName: 'Named' })).status).toBe(303);
  });
});
