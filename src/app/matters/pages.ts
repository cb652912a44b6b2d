import { invalid } from '../../base/refusal.ts';
import { changeClients } from '../../matters/clients.ts';
import { removeMatter, updateMatter } from '../../matters/matter.ts';
import { matterNotes } from '../../matters/notes.ts';
import { matterRecord, readDeletedMatter } from '../../matters/record.ts';
import { restoreMatter } from '../../matters/status.ts';
import { changeTeam } from '../../matters/team.ts';
import { setTypeAndFormerNumber } from '../../matters/type-and-former-number.ts';
import { matterChange, teamEntries } from '../../matters/wire.ts';
import { allPracticeAreas } from '../../practice-areas/list.ts';
import type { Actor } from '../../record/actor.ts';
import { type Deletion, deletePages } from '../deleted-record.tsx';
import { checked, type Fields } from '../fields.ts';
import { boardAndList } from '../records/board-and-list.ts';
import { editForm, editOf } from '../records/forms.tsx';
import { sayingStatus, statusIn } from '../said.ts';
import { noteForms } from '../timeline.tsx';
import { undoField } from '../undo.ts';
import { form, type Guard, type Page, type Visit } from '../visit.ts';
import { matterActs, showBoard, stageField } from './board.tsx';
import { giveBundle } from './bundle.tsx';
import { clientsIn, clientsText, clientsTextOf } from './clients.tsx';
import { datePages } from './date-pages.ts';
import { type Matter, matterFields } from './fields.tsx';
import { listForms, severalMatters, showList } from './list.tsx';
import { matterPage } from './matter-page.tsx';
import { newMatterPages } from './new-matter.tsx';
import { matterRulePages } from './rules.tsx';
import { teamIn, teamText } from './team.tsx';

const boardAndListPages = boardAndList({
  list: 'matters',
  showBoard,
  showList,
  listForms,
  several: severalMatters,
  kinds: matterActs,
  change: async ({ actor }, { id }, fields, again) => {
    const body = checked(matterChange, { [stageField]: fields.text(stageField) });
    await updateMatter(actor, id, body, { isUndo: fields.has(undoField) });
    return again;
  },
  now: async (reader, { id }) => ({
    [stageField]: (await matterRecord(reader, id)).stage?.id ?? '',
  }),
});

type MatterVisit = Visit<'/matters/:id'>;

const matterEdit = editOf<Matter>({
  fields: matterFields,
  holder: 'MATTER',
  read: matterRecord,
  change: async (actor, id, sent, fields) => {
    // These two have a verb of their own.
    if ('matterTypeId' in sent || 'formerNumber' in sent) {
      return setTypeAndFormerNumber(actor, id, sent);
    }
    const body = { ...sent, ...(await placeIn(actor, fields)) };
    const isUndo = fields.has(undoField);
    return updateMatter(actor, id, checked(matterChange, body), { isUndo });
  },
});

/** Area and stage as sent. If the stage is not one of the area, the area's first stage is taken. */
const placeIn = async (actor: Actor, fields: Fields) => {
  const practiceAreaId = fields.text('practiceAreaId') || undefined;
  const stage = fields.text('practiceAreaStageColumnId') || undefined;
  if (!practiceAreaId) return { practiceAreaId, practiceAreaStageColumnId: stage };
  const areas = await allPracticeAreas(actor);
  const stages = areas.find(({ id }) => id === practiceAreaId)?.stages ?? [];
  const chosen = stages.find(({ id }) => id === stage) ?? stages[0];
  return { practiceAreaId, practiceAreaStageColumnId: chosen?.id };
};

const setClients = async ({ actor, parameters }: MatterVisit, fields: Fields) => {
  const { id } = parameters;
  await changeClients(actor, id, clientsIn(fields));
  return `/matters/${id}`;
};

const setTeam = async ({ actor, parameters }: MatterVisit, fields: Fields) => {
  const { id } = parameters;
  const { team } = checked(teamEntries, { team: teamIn(fields) });
  await changeTeam(actor, id, team);
  return `/matters/${id}`;
};

const clientsGuard: Guard<MatterVisit> = {
  now: async (reader, { parameters }) => ({
    clients: clientsTextOf((await matterRecord(reader, parameters.id)).clients),
  }),
  sent: (fields) => ({ clients: clientsText(clientsIn(fields)) }),
};

const teamGuard: Guard<MatterVisit> = {
  now: async (reader, { parameters }) => ({
    team: teamText((await matterRecord(reader, parameters.id)).team),
  }),
  sent: (fields) => ({ team: teamText(checked(teamEntries, { team: teamIn(fields) }).team) }),
};

const changeStatus = async ({ actor, parameters }: MatterVisit, fields: Fields) => {
  const { id } = parameters;
  const status = statusIn(fields.text('status'));
  if (!status) throw invalid('A matter can be made active, a draft, or archived.');
  const { status: before } = await matterRecord(actor, id);
  await updateMatter(actor, id, { status });
  return sayingStatus(`/matters/${id}`, before, status);
};

const deletion: Deletion = {
  list: 'matters',
  remove: removeMatter,
  readDeleted: async (reader, id) => {
    const { number, title } = await readDeletedMatter(reader, id);
    const words = `${title} is no longer on the board, in lists or in the search. Its open tasks and future events are cancelled. If you restore the matter, they stay cancelled.`;
    return { name: `Matter ${number}`, words };
  },
  restore: async (actor, id) => void (await restoreMatter(actor, id)),
};

export const matterPages: Page[] = [
  ...boardAndListPages,
  ...newMatterPages,
  matterPage,
  editForm(matterPage, 'matters:write', matterEdit),
  form('/matters/:id/bundle', { allOf: ['data:export', 'matters:read'] }, giveBundle, matterPage),
  form('/matters/:id/clients', 'matters:write', setClients, matterPage, {
    guard: clientsGuard,
    said: 'Clients of {title} changed.',
  }),
  form('/matters/:id/team', 'matters:write', setTeam, matterPage, {
    guard: teamGuard,
    said: 'Team of {title} changed.',
  }),
  form('/matters/:id/status', 'matters:write', changeStatus, matterPage),
  ...noteForms(matterPage, 'matters:write', matterNotes),
  ...deletePages(deletion, matterPage),
  ...datePages,
  ...matterRulePages,
];
