/**
 * What holds of the notices about leads at every look, whatever happened (docs/design/later.md, I1
 * to I3).
 */
import { expect } from 'bun:test';
import type { connect } from './database.ts';

/** A notification as `inbox --json` prints it. */
export type Notice = {
  id: string;
  kind: string;
  recordId: string | null;
  title: string;
  text: string;
  count: number | null;
  createdAt: string;
  readAt: string | null;
};

type Lead = {
  id: string;
  number: string;
  name: string;
  at: number;
  isPrivate: boolean;
  cameThroughApi: boolean;
  assignees: string[];
};
type Member = { email: string; holdsAll: boolean };
type Stored = {
  id: string;
  email: string;
  recordId: string | null;
  count: number | null;
  at: number;
  firstAt: number;
  lastAt: number;
  readAt: Date | null;
};

const tenMinutes = 600_000;
const upwards = (one: number, other: number) => one - other;

/** Whether some four of these moments lie within less than ten minutes. */
const haveFour = (moments: number[]) =>
  moments
    .toSorted(upwards)
    .some(
      (moment, index, all) => (all[index + 3] ?? Number.POSITIVE_INFINITY) - moment < tenMinutes,
    );

/** Whether four of these moments, this one among them, lie within less than ten minutes. */
const fourAround = (moments: number[], moment: number) =>
  haveFour([
    ...moments
      .filter((other) => other < moment)
      .toSorted(upwards)
      .slice(-3),
    moment,
    ...moments
      .filter((other) => other > moment)
      .toSorted(upwards)
      .slice(0, 3),
  ]);

/** Throws unless I1 to I3 hold, unread counts agree, and nobody reads of a private lead they may not see. */
export const expectSound = async (
  sql: ReturnType<typeof connect>,
  firmId: string,
  inboxes: Record<string, Notice[]>,
) => {
  const leads = await sql<Lead[]>`
    select lead.id, number, contact.name, (extract(epoch from lead.created_at) * 1000)::float8 as at,
      lead.is_private as "isPrivate", came_through_api as "cameThroughApi",
      array(select email from lead_assignee join member on member.firm_id = lead.firm_id
        and member.id = member_id where lead_assignee.firm_id = lead.firm_id and lead_id = lead.id) as assignees
    from lead join contact on contact.firm_id = lead.firm_id and contact.id = contact_id
    where lead.firm_id = ${firmId}`;
  const members = await sql<Member[]>`
    select email, holds_all as "holdsAll" from member
    join role on role.firm_id = member.firm_id and role.id = role_id where member.firm_id = ${firmId}`;
  const stored = await storedNotices(sql, firmId);
  const announced = leads.filter(({ cameThroughApi }) => cameThroughApi);
  const moments = announced.map(({ at }) => at);
  for (const { email, holdsAll } of members) {
    const ofMember = stored.filter((one) => one.email === email);
    expectApart(ofMember);
    const shown = inboxes[email];
    if (!shown) continue;
    // I3: what a burst spans shares ten minutes with three others.
    for (const { firstAt, lastAt } of ofMember.filter(({ recordId }) => !recordId)) {
      for (const { at } of announced.filter(({ at }) => firstAt <= at && at <= lastAt)) {
        expect(fourAround(moments, at)).toBe(true);
      }
    }
    // The unread counter is the list's.
    const ids = new Set(shown.map(({ id }) => id));
    const unread = ofMember.filter(({ id, readAt }) => ids.has(id) && !readAt).length;
    expect(shown.filter(({ readAt }) => readAt === null)).toHaveLength(unread);
    const words = shown.map(({ title, text, recordId }) => `${title} ${text} ${recordId}`).join();
    for (const lead of leads) {
      if (!lead.isPrivate || holdsAll || lead.assignees.includes(email)) continue;
      for (const name of [lead.name, `(${lead.number})`, lead.id])
        expect(words).not.toContain(name);
    }
  }
};

/** The live notices about leads that are stored of a firm, with the moments of what they are about. */
export const storedNotices = (sql: ReturnType<typeof connect>, firmId: string) => sql<Stored[]>`
  select notification.id::text as id, email, record_id as "recordId", count, read_at as "readAt",
    (extract(epoch from lead.created_at) * 1000)::float8 as at,
    (extract(epoch from first_at) * 1000)::float8 as "firstAt",
    (extract(epoch from last_at) * 1000)::float8 as "lastAt"
  from notification
  join member on member.firm_id = notification.firm_id and member.id = member_id
  left join lead on lead.firm_id = notification.firm_id and lead.id = record_id
  where notification.firm_id = ${firmId} and replaced_by_id is null
    and kind in ('lead.new', 'lead.burst') and lead.deleted_at is null
  order by first_at`;

/**
 * I1: no four of a member's single notices within ten minutes. I2: each lead once; none inside of
 * the member's own bursts, which do not overlap.
 */
export const expectApart = (ofMember: Pick<Stored, 'recordId' | 'at' | 'firstAt' | 'lastAt'>[]) => {
  const singles = ofMember.filter(({ recordId }) => recordId);
  const bursts = ofMember.filter(({ recordId }) => !recordId);
  expect(haveFour(singles.map(({ at }) => at))).toBe(false);
  expect(new Set(singles.map(({ recordId }) => recordId)).size).toBe(singles.length);
  for (const [index, { firstAt, lastAt }] of bursts.entries()) {
    expect(singles.filter(({ at }) => firstAt <= at && at <= lastAt)).toEqual([]);
    expect(lastAt - firstAt).toBeLessThanOrEqual(3_600_000);
    expect(firstAt).toBeGreaterThan(bursts[index - 1]?.lastAt ?? 0);
  }
};
