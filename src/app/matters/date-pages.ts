import { confirmDate, takeConfirmationBack } from '../../date-rules/confirming.ts';
import {
  answerMoved,
  type FormerDate,
  type ShownMove,
  takeAnswerBack,
} from '../../date-rules/moved.ts';
import { meetLimitation, reopenLimitation, setLimitation } from '../../limitation/limitation.ts';
import { matterRecord } from '../../matters/record.ts';
import { acknowledgeLimitation } from '../../receipts/receipt.ts';
import type { Reader } from '../../record/actor.ts';
import { cameFrom } from '../address.ts';
import type { Fields } from '../fields.ts';
import { dayInFull } from '../moments.tsx';
import { counted } from '../numbers.ts';
import { saying } from '../said.ts';
import { form, type Page, type Visit } from '../visit.ts';
import { matterPage } from './matter-page.tsx';

type MatterVisit = Visit<'/matters/:id'>;

const set = async ({ actor, parameters, session }: MatterVisit, fields: Fields) => {
  const { id } = parameters;
  const solDate = fields.text('solDate') || null;
  await setLimitation(actor, id, { solDate, reason: fields.text('reason') ?? '' });
  const words = solDate
    ? `The limitation date of {title} is ${dayInFull(solDate, session)}.`
    : 'The limitation date of {title} is removed.';
  return saying(`/matters/${id}`, words);
};

const dateNow = async (reader: Reader, { parameters }: MatterVisit) => ({
  solDate: (await matterRecord(reader, parameters.id)).solDate ?? '',
});

const meet = async ({ actor, parameters }: MatterVisit, fields: Fields) => {
  const path = `/matters/${parameters.id}`;
  await meetLimitation(actor, parameters.id, fields.text('metOn') ?? '');
  const undo = { action: `${path}/limitation/not-met`, fields: [] };
  return saying(path, 'The limitation date of {title} is met.', undo);
};

const reopen = async ({ actor, parameters }: MatterVisit) => {
  await reopenLimitation(actor, parameters.id);
  return `/matters/${parameters.id}`;
};

const acknowledge = async (
  { actor, parameters, request, session }: MatterVisit,
  fields: Fields,
) => {
  const { id } = parameters;
  const day = fields.text('day') ?? '';
  await acknowledgeLimitation(actor, id, day);
  const { publicId } = await matterRecord(actor, id);
  const words = `You have the limitation date of ${publicId}, ${dayInFull(day, session)}.`;
  return saying(cameFrom(request, `/matters/${id}`), words);
};

const answerMove = async ({ actor, parameters: { id } }: MatterVisit, fields: Fields) => {
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

const takeBack = async ({ actor, parameters: { id } }: MatterVisit, fields: Fields) => {
  const former = fields.all('was').map(formerIn);
  await takeAnswerBack(actor, id, former);
  return saying(`/matters/${id}`, `Undone for ${counted(former.length, 'date')} of {title}.`);
};

const confirm = async (visit: MatterVisit, fields: Fields) => {
  const { actor, parameters, request, session } = visit;
  const path = `/matters/${parameters.id}`;
  const [date, day] = [fields.text('date') ?? '', fields.text('day') ?? ''];
  const { title } = await confirmDate(actor, parameters.id, date, day);
  const undo = {
    action: `${path}/rules/confirmed/undo`,
    fields: [['date', date]] satisfies [string, string][],
  };
  return saying(cameFrom(request, path), `Confirmed: ${title}, ${dayInFull(day, session)}.`, undo);
};

const unconfirm = async ({ actor, parameters: { id }, request }: MatterVisit, fields: Fields) => {
  const { title } = await takeConfirmationBack(actor, id, fields.text('date') ?? '');
  return saying(cameFrom(request, `/matters/${id}`), `Not confirmed: ${title}.`);
};

/** What is done with a matter's limitation date, and with its dates by rule. */
export const datePages: Page[] = [
  form('/matters/:id/limitation', 'matters:write', set, matterPage, { guard: dateNow }),
  form('/matters/:id/limitation/acknowledged', 'matters:read', acknowledge, matterPage),
  form('/matters/:id/limitation/met', 'matters:write', meet, matterPage),
  form('/matters/:id/limitation/not-met', 'matters:write', reopen, matterPage, {
    said: 'The limitation date of {title} is open again.',
  }),
  form('/matters/:id/rules/moved', 'matters:write', answerMove, matterPage, { once: true }),
  form('/matters/:id/rules/moved/undo', 'matters:write', takeBack, matterPage),
  form('/matters/:id/rules/confirmed', 'matters:write', confirm, matterPage),
  form('/matters/:id/rules/confirmed/undo', 'matters:write', unconfirm, matterPage),
];
