/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { isId } from '../base/columns.ts';
import { Refusal } from '../base/refusal.ts';
import type { Actor } from '../record/actor.ts';
import { type LastChange, lastChangeOf } from '../record/last-change.ts';
import { Dialog } from './dialog.tsx';
import { originalName } from './fields.ts';
import { Form } from './form.tsx';
import { useFrame } from './frame.tsx';
import { Icon } from './icon.tsx';
import { addressWith } from './list.tsx';
import { MomentSaid } from './moments.tsx';
import type { Visit } from './visit.ts';

type IdAndName = { id: string; name: string };

/** A board whose cards are moved: its address, the stages' field, and the noun for a card. */
export type Place = { path: string; field: string; noun: string; stages: readonly IdAndName[] };

/** A card that a dialog asks about. */
export type CardToMove = { id: string; name: string; stageId: string | null };

/** A card that somebody else moved in the meantime: who did, and the stage that was wanted. */
export type MoveConflict = { by: LastChange | undefined; wanted: string };

/** What is done with a card, or with a row. */
export type ActOn<Kind extends string> = { kind: Kind; id: string };

/** Reads `do` of a form or link: its first word, and a record's id. */
export const readAct = <Kind extends string>(
  text: string | null | undefined,
  kinds: readonly Kind[],
): ActOn<Kind> | undefined => {
  const [, word, id] = /^([a-z]+):(.+)$/.exec(text ?? '') ?? [];
  const kind = kinds.find((one) => one === word);
  return kind && id && isId(id) ? { kind, id } : undefined;
};

/**
 * What the address asks about a card, or a refused form shows again: its dialog's id, which its form sends as `do`, and the
 * card's record. Undefined if it asks nothing, or about a record that is missing.
 */
export const askedAbout = async <Kind extends string, Found>(
  { actor, query, refused }: Visit,
  kinds: readonly Kind[],
  read: (actor: Actor, id: string) => Promise<Found>,
) => {
  const text = refused?.fields.raw('do') ?? query.get('do');
  const act = readAct(text, kinds);
  if (!text || !act) return undefined;
  const found = await read(actor, act.id).catch((error) => {
    if (error instanceof Refusal && error.code === 'not_found') return undefined;
    throw error;
  });
  return found && { id: text, act, found };
};

/** Whether a refused move came too late; `column` is the stage's name in the audit log. */
export const moveConflict = async (
  { refused }: Visit,
  actor: Actor,
  recordId: string,
  { field, column }: { field: string; column: string },
): Promise<MoveConflict | undefined> => {
  if (!refused?.refusal.faults.some(({ now }) => now !== undefined)) return undefined;
  const by = await lastChangeOf(actor, recordId, column);
  return { by, wanted: refused.fields.raw(field) ?? '' };
};

/** The board's address without the question that it asks. */
export const useBoard = (path: string) => addressWith(path, useFrame().visit.query, {});

type MoveToProps = { id: string; card: CardToMove; place: Place; children?: ComponentChildren };

/** The choice of a card's stage, without a script. */
export const MoveTo = ({ id, card, place, children }: MoveToProps) => (
  <Dialog id={id} title={`Move ${card.name} to…`} class="slim">
    <Form action={useBoard(place.path)} class="choose">
      <input type="hidden" name={originalName(place.field)} value={card.stageId ?? ''} />
      {place.stages.map((stage) => (
        <button
          class="button wide"
          name={place.field}
          value={stage.id}
          disabled={stage.id === card.stageId}
        >
          {stage.name}
        </button>
      ))}
    </Form>
    {children}
  </Dialog>
);

type MoveConflictProps = { id: string; card: CardToMove; place: Place; conflict: MoveConflict };

/** Says who moved the card in the meantime and where, and asks what to do. */
export const MoveConflictDialog = ({
  id,
  card,
  place,
  conflict: { by, wanted },
}: MoveConflictProps) => {
  const { refused } = useFrame().visit;
  if (refused) refused.isShown = true;
  const path = useBoard(place.path);
  const nameOf = (stageId: string | null) =>
    place.stages.find((stage) => stage.id === stageId)?.name ?? 'another stage';
  return (
    <Dialog id={id} title={`${card.name} was moved in the meantime`} class="slim">
      <div role="alert" data-focus tabIndex={-1}>
        <p>
          {by?.memberName ?? 'The administrator'}
          {by?.keyName && ` (through key ${by.keyName})`} moved this {place.noun} to{' '}
          {nameOf(card.stageId)}
          {by && (
            <>
              {' '}
              (<MomentSaid at={by.at} />)
            </>
          )}
          . You wanted it in {nameOf(wanted)}.
        </p>
      </div>
      <div class="row end after">
        <form method="dialog">
          <button class="button">Leave it in {nameOf(card.stageId)}</button>
        </form>
        <form class="act" method="post" action={path}>
          <input type="hidden" name="do" value={id} />
          <input type="hidden" name={originalName(place.field)} value={card.stageId ?? ''} />
          <button class="button primary" name={place.field} value={wanted}>
            Move it to {nameOf(wanted)}
          </button>
        </form>
      </div>
    </Dialog>
  );
};

/** The menu that a card's three dots open; a script fills in the card. */
export const MoveMenu = ({ place, children }: { place: Place; children?: ComponentChildren }) => (
  <div
    class="menu"
    id="move-menu"
    data-script="menu move-menu"
    popover="auto"
    role="menu"
    aria-label="Move to"
  >
    <form method="post" action={useBoard(place.path)}>
      <input type="hidden" name="do" value="" />
      <input type="hidden" name={originalName(place.field)} value="" />
      <div role="presentation">
        Move to
        <kbd aria-hidden>M</kbd>
      </div>
      {place.stages.map(({ id, name }) => (
        <button
          role="menuitemradio"
          aria-checked="false"
          name={place.field}
          value={id}
          tabIndex={-1}
        >
          <Icon name="circle" />
          {name}
        </button>
      ))}
    </form>
    {children}
  </div>
);
