import { meetLimitation, reopenLimitation, setLimitation } from '../../limitation/limitation.ts';
import { matterRecord } from '../../matters/record.ts';
import { acknowledgeLimitation } from '../../receipts/receipt.ts';
import type { Reader } from '../../record/actor.ts';
import { cameFrom } from '../address.ts';
import type { Fields } from '../fields.ts';
import { dayInFull } from '../moments.tsx';
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

export const limitationPages: Page[] = [
  form('/matters/:id/limitation', 'matters:write', set, matterPage, { guard: dateNow }),
  form('/matters/:id/limitation/acknowledged', 'matters:read', acknowledge, matterPage),
  form('/matters/:id/limitation/met', 'matters:write', meet, matterPage),
  form('/matters/:id/limitation/not-met', 'matters:write', reopen, matterPage, {
    said: 'The limitation date of {title} is open again.',
  }),
];
