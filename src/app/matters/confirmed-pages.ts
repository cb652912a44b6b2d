import { confirmDate, takeConfirmationBack } from '../../date-rules/confirming.ts';
import { cameFrom } from '../address.ts';
import type { Fields } from '../fields.ts';
import { dayInFull } from '../moments.tsx';
import { saying } from '../said.ts';
import { form, type Page, type Visit } from '../visit.ts';
import { matterPage } from './matter-page.tsx';

type MatterVisit = Visit<'/matters/:id'>;

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

const undo = async ({ actor, parameters: { id }, request }: MatterVisit, fields: Fields) => {
  const { title } = await takeConfirmationBack(actor, id, fields.text('date') ?? '');
  return saying(cameFrom(request, `/matters/${id}`), `Not confirmed: ${title}.`);
};

export const confirmedPages: Page[] = [
  form('/matters/:id/rules/confirmed', 'matters:write', confirm, matterPage),
  form('/matters/:id/rules/confirmed/undo', 'matters:write', undo, matterPage),
];
