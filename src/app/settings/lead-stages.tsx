/** @jsxImportSource preact */
import {
  addReason,
  listReasons,
  removeReason,
  renameReason,
  shiftReason,
} from '../../leads/reasons.ts';
import {
  createLeadStage,
  listLeadStages,
  removeLeadStage,
  renameLeadStage,
  shiftLeadStage,
} from '../../leads/stages.ts';
import type { Actor } from '../../record/actor.ts';
import type { Fields } from '../fields.ts';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { NameList } from './name-list.tsx';
import { SettingsPage } from './sections.tsx';

const here = '/settings/lead-stages';

const showLists = async ({ actor }: Visit): Promise<Shown> => {
  const [stages, reasons] = await Promise.all([listLeadStages(actor), listReasons(actor)]);
  return {
    title: 'Leads',
    place: '/settings',
    main: (
      <SettingsPage title="Leads">
        <NameList
          id="stages"
          title="Stages"
          noun="stage"
          says="The stages of a lead, from left to right on the board. A new lead starts in the first."
          action={`${here}/stages`}
          names={stages}
        />
        <NameList
          id="reasons"
          title="Reasons for not being hired"
          noun="reason"
          says="You choose one when a lead is not hired. Leads keep a reason that you remove here."
          action={`${here}/reasons`}
          names={reasons}
        />
      </SettingsPage>
    ),
  };
};

const nameIn = (fields: Fields) => fields.text('name') ?? '';
const byIn = (fields: Fields) => (fields.text('by') === 'up' ? -1 : 1);

type Change = (actor: Actor, id: string, fields: Fields) => Promise<unknown>;

/** Applies the change to the record in the address, and shows the lists again. */
const done =
  (change: Change) =>
  async ({ actor, parameters: { id } }: Visit<'/:id'>, fields: Fields) => {
    await change(actor, id, fields);
    return here;
  };

const added =
  (add: (actor: Actor, fields: Fields) => Promise<unknown>) =>
  async ({ actor }: Visit, fields: Fields) => {
    await add(actor, fields);
    return here;
  };

const may = 'firm:write';

const addStage = added((actor, fields) => createLeadStage(actor, { name: nameIn(fields) }));
const renameStage = done((actor, id, fields) => renameLeadStage(actor, id, nameIn(fields)));
const moveStage = done((actor, id, fields) => shiftLeadStage(actor, id, byIn(fields)));
const newReason = added((actor, fields) => addReason(actor, nameIn(fields)));
const nameReason = done((actor, id, fields) => renameReason(actor, id, nameIn(fields)));
const moveReason = done((actor, id, fields) => shiftReason(actor, id, byIn(fields)));

const listsPage = page(here, may, showLists);

export const leadStagePages: Page[] = [
  listsPage,
  form(`${here}/stages`, may, addStage, listsPage),
  form(`${here}/stages/:id`, may, renameStage, listsPage),
  form(`${here}/stages/:id/move`, may, moveStage, listsPage),
  form(`${here}/stages/:id/remove`, may, done(removeLeadStage), listsPage),
  form(`${here}/reasons`, may, newReason, listsPage),
  form(`${here}/reasons/:id`, may, nameReason, listsPage),
  form(`${here}/reasons/:id/move`, may, moveReason, listsPage),
  form(`${here}/reasons/:id/remove`, may, done(removeReason), listsPage),
];
