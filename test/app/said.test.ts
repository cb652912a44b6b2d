/** What is said after a form, as its page says it: who, what, how many and which day, and no more than was done. */
import { describe, expect, test } from 'bun:test';
import type { HTMLElement } from 'node-html-parser';
import { bookkeeper, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { partsIn, textIn } from '../support/html.ts';
import { type Visitor, visitorOf } from '../support/visitor.ts';

const server = await startTestServer();

type Sent = Record<string, string | string[]>;

/** What a form holds as it stands on its page: what a browser sends if nothing is typed. */
const heldBy = (form: HTMLElement): Record<string, string[]> => {
  const held: Record<string, string[]> = {};
  for (const one of partsIn(form, 'input[name], select[name], textarea[name]')) {
    const isBox = /^(checkbox|radio)$/.test(one.getAttribute('type') ?? '');
    if (isBox && !one.hasAttribute('checked')) continue;
    const chosen = partsIn(one, 'option').find((option) => option.hasAttribute('selected'));
    const value = one.rawTagName === 'select' ? (chosen ?? one.querySelector('option')) : undefined;
    const name = one.getAttribute('name') ?? '';
    const text = (value ?? one).getAttribute('value') ?? one.text;
    held[name] = [...(held[name] ?? []), text];
  }
  return held;
};

/**
 * Sends a form of a page, found by the end of its address and by what it holds, and gives what is said then: the
 * sentence with the title of the page on which it stands, and what Undo sends.
 */
const pressing =
  (visitor: Visitor) =>
  async (
    page: string,
    [end = '', ...has]: readonly string[],
    typed: Sent | ((held: Sent) => Sent) = {},
  ) => {
    const { text } = await visitor.get(page);
    const form = partsIn(text, 'form[method="post"]').find(
      (one) =>
        one.getAttribute('action')?.endsWith(end) &&
        has.every((part) => one.outerHTML.includes(part)),
    );
    if (!form)
      throw new Error(`${page} has no form that ends with ${end} and has ${has.join(' and ')}.`);
    const held: Sent = heldBy(form);
    const sent = typeof typed === 'function' ? typed(held) : { ...held, ...typed };
    const action = form.getAttribute('action') ?? '';
    const answer = await visitor.post(action, sent, { 'x-sent-by': 'page' });
    expect(answer.status, `${action}: ${answer.text.slice(0, 300)}`).toBe(200);
    const { goTo, said } = JSON.parse(answer.text);
    const title = textIn((await visitor.get(goTo)).text, 'main h1');
    return { words: String(said?.words).replaceAll('{title}', title), undo: said?.undo, goTo };
  };

/** Sends one form after the other, each from its page, and expects these words. */
const saying = (visitor: Visitor) => {
  const press = pressing(visitor);
  return async (words: string, ...sent: Parameters<typeof press>) => {
    const said = await press(...sent);
    expect(said.words).toBe(words);
    return said;
  };
};

describe('What is said', () => {
  test('after a change of the settings names what was added, renamed, moved, changed, removed or restored', async () => {
    const firm = await makeFirm(server);
    const says = saying(await visitorOf(server, firm, owner));
    const withoutLeads = (held: Sent): Sent =>
      Object.fromEntries(
        Object.entries(held).map(([name, values]) => [
          name,
          name.startsWith('may.') ? [...values].filter((one) => !one.startsWith('leads')) : values,
        ]),
      );
    const roles = '/settings/roles';
    await says('Role added: Clerk.', roles, ['/roles/new'], { name: 'Clerk' });
    await says('Role renamed: Paralegal.', roles, ['', 'value="Clerk"'], { name: 'Paralegal' });
    await says('No permission was changed.', roles, [roles]);
    await says('Permissions changed: Attorney.', roles, [roles], withoutLeads);
    await says('Role removed: Paralegal.', roles, ['/remove', 'value="Paralegal"']);
    const stages = '/settings/lead-stages';
    await says('Reason added: Far.', stages, ['/reasons'], { name: 'Far' });
    await says('Reason renamed: Too far.', stages, ['', 'value="Far"'], { name: 'Too far' });
    await says('Reason removed: Too far.', stages, ['/remove', 'value="Too far"']);
    const area = `/settings/practice-areas/${firm.practiceAreas.Family?.id}`;
    await says('The limitation date setting of Family is changed.', area, ['/limitation']);
    const named = { name: 'Families' };
    await says('Practice area renamed: Families.', area, ['', 'value="Family"'], named);
    const tax = { name: 'Tax', stages: 'Intake' };
    await says('Practice area added: Tax.', '/settings/practice-areas', ['/practice-areas'], tax);
    const court = { name: 'Court', appliesTo: 'MATTER', type: 'TEXT' };
    await says('Field added: Court.', '/settings/fields', ['/fields'], court);
    const holidays = '/settings/holidays';
    const founding = { day: '2099-05-04', name: 'Founding' };
    await says('Holiday added: Founding.', holidays, ['/own'], founding);
    await says('Holiday removed: Founding.', holidays, ['/remove', 'Founding']);
    const cy = `/settings/members/${firm.members[bookkeeper]}`;
    await says('The absence and the deputy of Cy Moss are changed.', cy, ['/absence']);
    await says('Deactivated: Cy Moss.', cy, ['/deactivate']);
    await says('Active again: Cy Moss.', cy, ['/activate']);
  });

  test('of task lists and date rules names them, and each task of a list', async () => {
    const firm = await makeFirm(server);
    const says = saying(await visitorOf(server, firm, owner));
    const opening = { name: 'Opening' };
    const lists = '/settings/task-lists';
    const { goTo: list } = await says('Task list added: Opening.', lists, [lists], opening);
    await says('Task added: Letter.', list, ['/lines'], { title: 'Letter' });
    await says('Task added: Call.', list, ['/lines'], { title: 'Call' });
    await says('Task moved up: Call.', list, ['/move', 'Move Call up']);
    await says('Task moved down: Call.', list, ['/move', 'Move Call down']);
    const second = { title: 'Second letter' };
    const change = ['', 'value="Letter"', 'Save'];
    await says('Task changed: Second letter.', list, change, second);
    await says('Task removed: Call.', list, ['/remove', 'value="Call"']);
    await says('Task list changed: Start.', list, ['', 'value="Opening"'], { name: 'Start' });
    await says('Task list removed: Start.', list, [`${list.split('/').at(-1)}/remove`]);
    const rules = '/settings/date-rules';
    const rule = { trigger: 'limitation', amount: '8', unit: 'days', direction: 'before' };
    const reply = { ...rule, name: 'Reply', makes: 'task' };
    const { goTo: one } = await says('Date rule added: Reply.', rules, [rules], reply);
    await says('Date rule changed: Answer.', one, ['', 'value="Reply"'], { name: 'Answer' });
    await says('Date rule deleted: Answer.', one, ['/delete']);
  });

  test('of what is restored names it, among all that were deleted', async () => {
    const firm = await makeFirm(server);
    const says = saying(await visitorOf(server, firm, owner));
    const make = async (path: string, body: object) => {
      const { data } = (await firm.owner.post(path, body)).body;
      return data as { id: string; publicId: string };
    };
    const area = { practiceAreaId: firm.practiceAreas.Family?.id, openDate: '2026-03-03' };
    for (const kind of ['leads', 'matters', 'contacts']) {
      const [one, other] = [
        await make(
          `/v1/${kind}`,
          kind === 'matters' ? { ...area, title: 'One' } : { lastName: 'One' },
        ),
        await make(
          `/v1/${kind}`,
          kind === 'matters' ? { ...area, title: 'Other' } : { lastName: 'Other' },
        ),
      ];
      for (const { id } of [one, other]) await firm.owner.delete(`/v1/${kind}/${id}`);
      const name = kind === 'contacts' ? 'One' : one.publicId;
      await says(`Restored: ${name}.`, `/settings/deleted?kind=${kind}`, [`${one.id}/restore`]);
    }
  });
});
