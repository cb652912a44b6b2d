import {
  answerMoved,
  type FormerDate,
  type ShownMove,
  takeAnswerBack,
} from '../../date-rules/moved.ts';
import type { Fields } from '../fields.ts';
import { counted } from '../numbers.ts';
import { saying } from '../said.ts';
import { form, type Page, type Visit } from '../visit.ts';
import { matterPage } from './matter-page.tsx';

type MatterVisit = Visit<'/matters/:id'>;

const answer = async ({ actor, parameters: { id } }: MatterVisit, fields: Fields) => {
  const path = `/matters/${id}`;
  const said = fields.text('answer') === 'move' ? 'move' : 'leave';
  const { former, moved } = await answerMoved(actor, id, said, shownIn(fields));
  const words =
    said === 'move'
      ? `Moved: ${counted(moved, 'date')} of {title}.`
      : `${counted(former.length, 'date')} of {title} ${former.length === 1 ? 'stays' : 'stay'}.`;
  const undo = {
    action: `${path}/rules/moved/undo`,
    fields: former.map((one): [string, string] => ['was', textOf(one)]),
  };
  return saying(path, words, undo);
};

/** What the page had shown. */
const shownIn = (fields: Fields): ShownMove => {
  return {
    key: fields.text('trigger') ?? '',
    from: fields.text('from') ?? '',
    to: fields.text('to') || null,
    dates: fields.all('date').map((text) => {
      const [id = '', day = ''] = text.split(':');
      return { id, day: day || null };
    }),
  };
};

const textOf = ({ id, ruleId, taskId, eventId, countedFrom, day, countedEventId }: FormerDate) =>
  [id, ruleId, taskId ?? '', eventId ?? '', countedFrom, day, countedEventId ?? ''].join(':');

const formerIn = (text: string): FormerDate => {
  const [id = '', ruleId = '', ...others] = text.split(':');
  const [taskId, eventId, countedFrom = '', day = '', countedEventId] = others;
  const ids = { taskId: taskId || null, eventId: eventId || null };
  return { id, ruleId, ...ids, countedFrom, day, countedEventId: countedEventId || null };
};

const undo = async ({ actor, parameters: { id } }: MatterVisit, fields: Fields) => {
  const former = fields.all('was').map(formerIn);
  await takeAnswerBack(actor, id, former);
  return saying(`/matters/${id}`, `Taken back: ${counted(former.length, 'date')} of {title}.`);
};

export const movedPages: Page[] = [
  form('/matters/:id/rules/moved', 'matters:write', answer, matterPage, { once: true }),
  form('/matters/:id/rules/moved/undo', 'matters:write', undo, matterPage),
];
