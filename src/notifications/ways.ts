/** How a member is told of each kind of notification. */
import { invalid } from '../base/refusal.ts';
import { memberWithId } from '../firm/member.ts';
import { member } from '../firm/table.ts';
import { type Acting, write } from '../record/write.ts';
import { type NotificationKind, notificationKinds } from './table.ts';

/**
 * The ways to be told: not at all; in the inbox; also in the morning's mail; also by mail at once. The last
 * two are like `inbox` while no mail is set up.
 */
export const ways = ['off', 'inbox', 'digest', 'mail'] as const;
export type Way = (typeof ways)[number];

// `lead.burst` obeys the switch of `lead.new`, the others none.
const withoutSwitch = [
  'lead.burst',
  'limitation.unheld',
  'task.unheld',
  'event.unheld',
  'lead.unheld',
  'account.warned',
  'webhook.paused',
  'mail.refused',
] as const satisfies NotificationKind[];

/** A kind that a member can switch off. */
export type SwitchableKind = Exclude<NotificationKind, (typeof withoutSwitch)[number]>;

/** Kinds with a switch of their own (docs/contract.md, Notifications). */
export const switchableKinds = notificationKinds.filter(
  (kind): kind is SwitchableKind => !(withoutSwitch as readonly string[]).includes(kind),
);

type Chosen = Pick<typeof member.$inferSelect, 'mutedKinds' | 'mailedKinds' | 'morningKinds'>;

/** How a member is told of a kind. */
export const wayOf = ({ mutedKinds, mailedKinds, morningKinds }: Chosen, kind: string): Way => {
  if (mutedKinds.includes(kind)) return 'off';
  if (mailedKinds.includes(kind)) return 'mail';
  return morningKinds.includes(kind) ? 'digest' : 'inbox';
};

/**
 * Chooses how a member is told of some kinds from now on; the others stay. Throws `Refusal`
 * invalid_request for an unknown kind or way, and not_found for an unknown member.
 */
export const chooseWays = (
  actor: Acting,
  memberId: string,
  chosen: Readonly<Record<string, string>>,
) =>
  write(actor, async (w) => {
    for (const [kind, way] of Object.entries(chosen)) check(kind, way);
    const [stored, now] = await Promise.all([memberWithId(w, memberId), w.now()]);
    const kindsBy = (way: Way, kept: readonly string[]) =>
      [
        ...kept.filter((kind) => !(kind in chosen)),
        ...Object.keys(chosen).filter((kind) => chosen[kind] === way),
      ].sort();
    w.update(member, stored, {
      ...changed('mutedKinds', stored, kindsBy('off', stored.mutedKinds)),
      ...changed('mailedKinds', stored, kindsBy('mail', stored.mailedKinds)),
      ...changed('morningKinds', stored, kindsBy('digest', stored.morningKinds)),
      updatedAt: now,
    });
    return { email: stored.email };
  });

/** In another order, the same kinds are no change. */
const changed = (name: keyof Chosen, stored: Chosen, kinds: string[]) =>
  stored[name].toSorted().join() === kinds.join() ? {} : { [name]: kinds };

const check = (kind: string, way: string) => {
  if (!(switchableKinds as readonly string[]).includes(kind)) {
    throw invalid(`The kind must be one of ${switchableKinds.join(', ')}.`);
  }
  if (!(ways as readonly string[]).includes(way)) {
    throw invalid(`It must be one of ${ways.join(', ')}.`);
  }
};

/**
 * Makes the acting member told of just these kinds from now on, in the way that they chose before;
 * `lead.burst` follows `lead.new`. Throws `Refusal` invalid_request for an unknown kind.
 */
export const chooseNotifications = (actor: Acting, wanted: readonly string[]) =>
  write(actor, async (w) => {
    for (const kind of wanted) check(kind, 'inbox');
    const [stored, now] = await Promise.all([memberWithId(w, String(w.memberId)), w.now()]);
    const mutedKinds = switchableKinds.filter((kind) => !wanted.includes(kind)).sort();
    w.update(member, stored, { mutedKinds, updatedAt: now });
  });
