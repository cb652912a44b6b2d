import { isId, newId } from '../base/columns.ts';
import { invalid, invalidField, notFound, notFoundField } from '../base/refusal.ts';
import { isNotTheIdOf, isRequired } from '../base/rule.ts';
import { trimmed } from '../contacts/name.ts';
import { keepShown, showHidden } from '../contacts/privacy.ts';
import { customFieldsOn, mergeCustomFields } from '../custom-fields/custom-field.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import { holdBoard, practiceAreaFor, stageById, stagesOfArea } from '../practice-areas/list.ts';
import type { Actor } from '../record/actor.ts';
import { forgetsMove } from '../record/moved-back.ts';
import { type Acting, type Write, write, writeNew } from '../record/write.ts';
import { notNumbered, numberFor } from '../register/numbering.ts';
import { allocate, countOf, countRemoved } from '../register/register.ts';
import {
  partsOf,
  searchTextOf,
  searchTextOfNumber,
  searchTextWith,
} from '../search-text/search-text.ts';
import { findByText, findNoLonger } from '../search-text/written-text.ts';
import { closeOutLater, lookAtLimitationLater, tellTeamLater } from './jobs.ts';
import { matterForChange } from './list.ts';
import { clientsFrom, sortedBy, storePeople, teamFrom } from './people.ts';
import { matter, matterMove } from './table.ts';
import { viewMatterFull } from './view.ts';
import { type MatterChange, type NewMatter, untitled } from './wire.ts';

/** The values of a matter from another program. Its team gets no notice of it, nor of its deletion. */
export type Imported = {
  formerNumber: string | null;
  matterTypeId: string | null;
  isArchived: boolean;
};

/**
 * Makes a matter with its clients and team. Throws `Refusal`, in the contract's order: not_found
 * for a reference, invalid_request for a stage of another practice area, not_configured without
 * matter numbering, invalid_request if the practice area has no stage, invalid_custom_field
 * (docs/contract.md, Matters; Requests).
 */
export const createMatter = (actor: Acting, body: NewMatter, imported?: Imported) =>
  writeNew(actor, matter, async (w) => {
    const [{ area, stages }, { clients, contacts }, team, { numberFormat, timeZone }, defined] =
      await Promise.all([
        areaWithStages(w, body.practiceAreaId),
        clientsFrom(w, body.clientContactIds ?? []),
        teamFrom(w, body.team ?? []),
        countOf(w, matter),
        customFieldsOn(w, 'MATTER'),
      ]);
    const chosen =
      body.practiceAreaStageColumnId === undefined
        ? stages[0]
        : await stageFor(w, area.id, body.practiceAreaStageColumnId);
    if (numberFormat === null) throw notNumbered('matter');
    if (!chosen) throw noStage();
    const customFields = await mergeCustomFields(w, defined, {}, body.customFields);

    // The register stays locked from here to the commit, so this comes last.
    await showHidden(w, contacts);
    const place = await allocate(w, matter);
    keepShown(w, contacts);
    const number = await numberFor(w, 'matter', place, timeZone);
    const title = trimmed(body.title) ?? untitled;
    const made = {
      firmId: w.firmId,
      id: newId(),
      ordinal: place.ordinal,
      number,
      title,
      description: body.description ?? null,
      status: imported?.isArchived ? ('ARCHIVE' as const) : (body.status ?? ('ACTIVE' as const)),
      openDate: body.openDate,
      closeDate: body.closeDate ?? null,
      solDate: body.solDate ?? null,
      practiceAreaId: area.id,
      stageId: chosen.id,
      customFields,
      timesArchived: imported?.isArchived ? 1 : 0,
      ...(imported && { formerNumber: imported.formerNumber, matterTypeId: imported.matterTypeId }),
      searchText: searchTextWith(
        ownText(number, title, imported?.formerNumber),
        contacts.map(({ searchText }) => searchText),
      ),
      ...sortedBy(clients, team),
      createdAt: place.at,
      updatedAt: place.at,
    };
    w.create(matter, made, { clients, team });
    if (made.description) keepDescription(w, made);
    storePeople(w, made.id, clients, team);
    if (team.length > 0 && !imported) tellTeamLater(w, made.id, 'matter.added', 'created');
    if (made.solDate !== null) lookAtLimitationLater(w, made.id);
    const names = { practiceAreaName: area.name, stageName: chosen.name };
    return viewMatterFull({ ...made, ...names, clients, team }, defined);
  });

/** What a matter is found by, its clients aside. */
export const ownText = (number: string, title: string, formerNumber: string | null = null) =>
  searchTextOf([
    searchTextOfNumber(number),
    formerNumber && searchTextOfNumber(formerNumber),
    title,
  ]);

/** Has the search find a matter by its description. */
const keepDescription = (
  w: Write,
  { id, description }: { id: string; description: string | null },
) =>
  description
    ? findByText(w, { id, source: 'description', about: 'matter', recordId: id, text: description })
    : findNoLonger(w, id);

const areaWithStages = async (w: Write, practiceAreaId: string) => {
  const area = await practiceAreaFor(w, practiceAreaId);
  const [, stages] = await Promise.all([holdBoard(w, area.id), stagesOfArea(w, area.id)]);
  return { area, stages };
};

/**
 * The stage in its practice area. Throws `Refusal` not_found, or invalid_request for another area's
 * stage.
 */
const stageFor = async (w: Write, practiceAreaId: string, id: string) => {
  const found = isId(id) ? await stageById(w, id) : undefined;
  if (!found) {
    const rule = isNotTheIdOf('a stage of the firm');
    throw notFoundField('practiceAreaStageColumnId', rule, 'GET /v1/practice-areas/{id}');
  }
  if (found.practiceAreaId !== practiceAreaId) {
    throw invalidField('practiceAreaStageColumnId', 'must be a stage of the practice area');
  }
  return found;
};

const noStage = () =>
  invalid(
    'The practice area has no stage. Send practiceAreaStageColumnId, or add a stage to it first.',
  );

/**
 * Changes the fields sent. Throws `Refusal` not_found for the matter or a reference,
 * invalid_request if the matter would have no practice area or stage, invalid_custom_field. One of
 * several changed at once tells its team nothing, and the guests of its events of all of them together. An Undo of a move gives
 * back since when the matter was in its stage.
 */
export const updateMatter = (
  actor: Acting,
  id: string,
  body: MatterChange,
  { as, isUndo }: { as?: 'one of several'; isUndo?: boolean } = {},
) =>
  write(actor, async (w) => {
    const [stored, defined, now] = await Promise.all([
      matterForChange(w, id),
      customFieldsOn(w, 'MATTER'),
      w.now(),
    ]);
    if (!stored) throw notFound();
    const onBoard = await areaAndStageAfter(w, stored, body);
    const title = body.title === undefined ? stored.title : (trimmed(body.title) ?? untitled);
    const status = body.status ?? stored.status;
    const isArchived = status === 'ARCHIVE' && stored.status !== 'ARCHIVE';
    const changed = {
      ...stored,
      ...onBoard,
      title,
      status,
      timesArchived: stored.timesArchived + (isArchived ? 1 : 0),
      description: body.description === undefined ? stored.description : body.description,
      openDate: body.openDate ?? stored.openDate,
      closeDate: body.closeDate === undefined ? stored.closeDate : body.closeDate,
      ...limitationAfter(stored, body.solDate),
      customFields: await mergeCustomFields(w, defined, stored.customFields, body.customFields),
      updatedAt: now,
    };
    const { practiceAreaName, stageName, clients, team, ...fields } = changed;
    const { contacts: ofClients } = partsOf(stored.searchText);
    const searchText = searchTextWith(ownText(stored.number, title, stored.formerNumber), [
      ofClients,
    ]);
    const way = { recordId: id, from: stored.stageId, to: changed.stageId };
    const isMoved = way.from !== way.to;
    const isForgotten = isMoved && isUndo && (await forgetMove(w, way));
    if (!w.update(matter, stored, { ...fields, searchText }))
      return viewMatterFull(stored, defined);
    if (changed.description !== stored.description) keepDescription(w, changed);
    if (isMoved && !isForgotten) noteMove(w, id, way.from, way.to, now);
    const mayBeNear = changed.solDate !== stored.solDate || status !== stored.status;
    if (mayBeNear && changed.solDate !== null) lookAtLimitationLater(w, id);
    if (isArchived) {
      if (!as) tellTeamLater(w, id, 'matter.archived', changed.timesArchived);
      closeOutLater(w, id, changed.timesArchived, as);
    }
    return viewMatterFull(changed, defined);
  });

type StoredMatter = NonNullable<Awaited<ReturnType<typeof matterForChange>>>;

/** The limitation date after the change. Another one has yet to be met. */
export const limitationAfter = (
  { solDate, limitationMetOn, limitationMetById }: Limitation,
  sent: string | null | undefined,
): Limitation =>
  sent === undefined || sent === solDate
    ? { solDate, limitationMetOn, limitationMetById }
    : { solDate: sent, limitationMetOn: null, limitationMetById: null };

type Limitation = Pick<
  typeof matter.$inferSelect,
  'solDate' | 'limitationMetOn' | 'limitationMetById'
>;

/** Keeps a matter's way through its boards. */
const noteMove = (w: Write, matterId: string, from: string, to: string, at: Date) => {
  const move = { firmId: w.firmId, id: newId(), matterId, fromStageId: from, toStageId: to, at };
  void w.run(storeMove, move);
};

const forgetMove = forgetsMove({ table: 'matter_move', recordId: 'matter_id', stage: 'stageId' });

type Move = typeof matterMove.$inferInsert;

const storeMove = statement(({ firmId, id, matterId, fromStageId, toStageId, at }: Given<Move>) =>
  query.insert(matterMove).values({ firmId, id, matterId, fromStageId, toStageId, at }),
);

/**
 * Practice area, stage and type after the change. A stage belongs to one practice area; so does a
 * type, which the matter loses with its area.
 */
const areaAndStageAfter = async (w: Write, stored: StoredMatter, body: MatterChange) => {
  const { practiceAreaId, practiceAreaName, stageId, stageName, matterTypeId } = stored;
  const area =
    body.practiceAreaId === undefined || body.practiceAreaId === practiceAreaId
      ? { id: practiceAreaId, name: practiceAreaName }
      : await practiceAreaFor(w, body.practiceAreaId);
  const sentStage = body.practiceAreaStageColumnId;
  const stays = sentStage === undefined || sentStage === stageId;
  if (area.id === practiceAreaId && stays)
    return { practiceAreaId, practiceAreaName, stageId, stageName, matterTypeId };
  if (sentStage === undefined) {
    throw invalidField(
      'practiceAreaStageColumnId',
      isRequired(' with another practiceAreaId: a stage belongs to one practice area'),
    );
  }
  const [, stage] = await Promise.all([holdBoard(w, area.id), stageFor(w, area.id, sentStage)]);
  return {
    practiceAreaId: area.id,
    practiceAreaName: area.name,
    stageId: stage.id,
    stageName: stage.name,
    matterTypeId: area.id === practiceAreaId ? matterTypeId : null,
  };
};

/**
 * Takes a matter out of the lists, tells its team and closes it out. Throws `Refusal` not_found.
 */
export const removeMatter = (actor: Actor, id: string) =>
  write(actor, async (w) => {
    const stored = await matterForChange(w, id);
    if (!stored) throw notFound();
    await dropMatter(w, stored);
  });

/** Deletes a locked matter inside a larger write. Its team gets a notice, unless `quietly`. */
export const dropMatter = async (w: Write, stored: StoredMatter, how?: 'quietly') => {
  const now = await w.now();
  countRemoved(w, matter, stored.ordinal);
  w.remove(matter, stored, now);
  if (how !== 'quietly') tellTeamLater(w, stored.id, 'matter.deleted', 'deleted');
  closeOutLater(w, stored.id, 'deleted');
};
