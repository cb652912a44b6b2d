import { meetLimitation, reopenLimitation, setLimitation } from '../../limitation/limitation.ts';
import { matterRecord } from '../../matters/record.ts';
import type { Reader } from '../../record/actor.ts';
import type { Fields } from '../fields.ts';
import { form, type Page, type Visit } from '../visit.ts';
import { matterPage } from './matter-page.tsx';

type MatterVisit = Visit<'/matters/:id'>;

const set = async ({ actor, parameters }: MatterVisit, fields: Fields) => {
  const { id } = parameters;
  await setLimitation(actor, id, {
    solDate: fields.text('solDate') || null,
    reason: fields.text('reason') ?? '',
  });
  return `/matters/${id}`;
};

const dateNow = async (reader: Reader, { parameters }: MatterVisit) => ({
  solDate: (await matterRecord(reader, parameters.id)).solDate ?? '',
});

const meet = async ({ actor, parameters }: MatterVisit, fields: Fields) => {
  await meetLimitation(actor, parameters.id, fields.text('metOn') ?? '');
  return `/matters/${parameters.id}`;
};

const reopen = async ({ actor, parameters }: MatterVisit) => {
  await reopenLimitation(actor, parameters.id);
  return `/matters/${parameters.id}`;
};

export const limitationPages: Page[] = [
  form('/matters/:id/limitation', 'matters:write', set, matterPage, { guard: dateNow }),
  form('/matters/:id/limitation/met', 'matters:write', meet, matterPage),
  form('/matters/:id/limitation/not-met', 'matters:write', reopen, matterPage),
];
