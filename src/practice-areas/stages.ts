import { invalidField, notFound } from '../base/refusal.ts';
import { shortText } from '../base/short-text.ts';
import { shifted } from '../record/ordered-list.ts';
import { isTaken, nameTaken } from '../record/taken.ts';
import { type Acting, write } from '../record/write.ts';
import { areaForChange, stagesOf } from './list.ts';
import { updatePracticeArea } from './practice-area.ts';
import { limits } from './wire.ts';

/**
 * Adds a stage at the end of a practice area's board. Throws `Refusal` not_found, conflict for a
 * name that another stage has, and invalid_request if the board is full.
 */
export const addAreaStage = (actor: Acting, areaId: string, name: string) =>
  changeStages(actor, areaId, (stages) => {
    const added = { name: freeName(stages, name) };
    if (stages.length >= limits.stages) {
      throw invalidField('name', `is one more than the ${limits.stages} stages an area can have`);
    }
    return [...stages, added];
  });

/** Renames a stage. Throws `Refusal` not_found, and conflict for a name that another stage has. */
export const renameAreaStage = (actor: Acting, areaId: string, id: string, name: string) =>
  changeStages(actor, areaId, (stages) =>
    stages.with(indexOf(stages, id), { id, name: freeName(stages, name, id) }),
  );

/** Moves a stage up or down by one. At either end nothing changes. Throws `Refusal` not_found. */
export const shiftAreaStage = (actor: Acting, areaId: string, id: string, by: -1 | 1) =>
  changeStages(actor, areaId, (stages) => shifted(stages, indexOf(stages, id), by));

/** Removes a stage. Throws `Refusal` not_found, and conflict if it still holds matters. */
export const removeAreaStage = (actor: Acting, areaId: string, id: string) =>
  changeStages(actor, areaId, (stages) => stages.toSpliced(indexOf(stages, id), 1));

const freeName = (stages: readonly { id: string; name: string }[], name: string, id?: string) => {
  const wanted = shortText('name', name);
  const own = stages.find((stage) => stage.id === id);
  const others = stages.filter((stage) => stage !== own).map((stage) => stage.name);
  if (isTaken(others, wanted, own?.name)) throw nameTaken('stage of this practice area');
  return wanted;
};

type Kept = { id?: string; name: string };

/** Changes the present stages of a board within one write, so that no change is lost. */
const changeStages = (
  actor: Acting,
  areaId: string,
  change: (stages: { id: string; name: string }[]) => Kept[],
) =>
  write(actor, async (w) => {
    const ids = { firmId: w.firmId, id: areaId };
    const [area, stages] = await Promise.all([w.first(areaForChange, ids), w.run(stagesOf, ids)]);
    if (!area) throw notFound('The firm has no such practice area.');
    const wanted = change(stages.map(({ id, name }) => ({ id, name })));
    return updatePracticeArea(w, areaId, { stages: wanted });
  });

const indexOf = (stages: readonly { id: string }[], id: string) => {
  const index = stages.findIndex((stage) => stage.id === id);
  if (index < 0) throw notFound('The practice area has no such stage.');
  return index;
};
