import { sql } from 'drizzle-orm';
import { isId } from '../base/columns.ts';
import { invalidField, notFound } from '../base/refusal.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { lookAtLimitationLater, tellAddedLater } from './jobs.ts';
import { matterForChange } from './list.ts';
import { storePeople, type TeamEntry, teamFrom, teamOf } from './people.ts';
import { matter } from './table.ts';
import { limits, type NewMatter } from './wire.ts';

/**
 * Makes exactly these the team of a matter: at most 50, each member in each role once. Members who are
 * deactivated may stay, but not join. Those who were not on it before are told, except the actor.
 * Throws `Refusal` not_found for the matter or a member, and invalid_request, naming `team`.
 */
export const changeTeam = (actor: Acting, id: string, team: Team, tell?: Telling) =>
  becomesTeam(actor, id, () => team, tell);

/** Adds members to a matter's responsible staff. Throws `Refusal` as `changeTeam` does. */
export const addStaff = (actor: Acting, id: string, memberIds: readonly string[], tell?: Telling) =>
  becomesTeam(actor, id, (before) => [...before, ...memberIds.map(asStaff)], tell);

/**
 * Makes exactly these members a matter's responsible staff. Its attorneys stay, and so does the share
 * of who was staff before. Throws `Refusal` as `changeTeam` does.
 */
export const replaceStaff = (
  actor: Acting,
  id: string,
  memberIds: readonly string[],
  tell?: Telling,
) => {
  const stays = ({ role, memberId }: TeamEntry) => role !== staff || memberIds.includes(memberId);
  const change = (before: TeamEntry[]) => [...before.filter(stays), ...memberIds.map(asStaff)];
  return becomesTeam(actor, id, change, tell);
};

/** How those who were added are told: of each matter by itself, unless a caller knows better. */
type Telling = (w: Write, matterId: string, added: string[]) => void;

const staff = 'RESPONSIBLE_STAFF';
const asStaff = (memberId: string) => ({ memberId, role: staff }) as const;

type Team = NonNullable<NewMatter['team']>;

const becomesTeam = (
  actor: Acting,
  id: string,
  change: (before: TeamEntry[]) => Team,
  tell: Telling = tellAddedLater,
) =>
  write(actor, async (w) => {
    const stored = isId(id) && (await matterForChange(w, id));
    if (!stored) throw notFound();
    const [before, now] = await Promise.all([teamOf(w, id), w.now()]);
    const sent = change(before);
    if (sent.length > limits.team) {
      throw invalidField('team', `must have at most ${limits.team} entries`);
    }
    const present = new Set(before.map(({ memberId }) => memberId));
    const after = await teamFrom(w, sent, before);
    if (Bun.deepEquals(before.map(withoutName), after.map(withoutName))) return;
    void w.run(dropTeam, { firmId: w.firmId, id });
    storePeople(w, id, [], after);
    void w.run(touch, { firmId: w.firmId, id, now });
    w.record('update', matter, id, {
      team: { before: before.map(withoutName), after: after.map(withoutName) },
    });
    const added = new Set(after.map(({ memberId }) => memberId)).difference(present);
    tell(w, id, [...added]);
    if (stored.solDate !== null) lookAtLimitationLater(w, id);
  });

const withoutName = ({ name, ...entry }: TeamEntry) => entry;

const dropTeam = statement(
  ({ firmId, id }: Given<'firmId' | 'id'>) => sql`
    delete from matter_team where firm_id = ${firmId} and matter_id = ${id}`,
);

const touch = statement(({ firmId, id, now }: Given<{ firmId: string; id: string; now: Date }>) =>
  query
    .update(matter)
    .set({ updatedAt: sql`${now}` })
    .where(sql`${matter.firmId} = ${firmId} and ${matter.id} = ${id}`),
);
