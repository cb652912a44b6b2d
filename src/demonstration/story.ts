import { dayIn } from '../base/calendar-date.ts';
import { addEvent } from '../calendar/event.ts';
import { createContact } from '../contacts/contact.ts';
import { hireLead } from '../hiring/hire.ts';
import { assignLead } from '../leads/assignees.ts';
import { createLead, updateLead } from '../leads/lead.ts';
import { declineLead, setLeadStatus } from '../leads/status.ts';
import { meetLimitation } from '../limitation/limitation.ts';
import { createMatter, updateMatter } from '../matters/matter.ts';
import { storeNote } from '../notes/note.ts';
import type { Write } from '../record/write.ts';
import { addTask, moveTask } from '../tasks/task.ts';
import {
  type Caller,
  callers,
  formSenders,
  type OldMatter,
  oldMatters,
  type Person,
  people,
} from './cast.ts';
import { addRuledDates, servedOn } from './rules.ts';
import {
  afterwards,
  consultations,
  events,
  leadTaskTitles,
  matterNotes,
  taskTitles,
} from './words.ts';

/** The firm's settings by their names. */
export type NamedFirm = {
  now: Date;
  members: Record<Person, string>;
  stages: string[];
  reasons: Record<string, string>;
  areas: Record<string, { id: string; stages: string[] }>;
  eventKinds: Record<string, string>;
};

/** Something that happens: when, who does it, and whether through the key of the website's form. */
export type Happening = {
  at: Date;
  by: Person;
  throughKey?: true;
  tell(w: Write): Promise<unknown>;
};

const minute = 60_000;
const day = 24 * 60 * minute;

/** Everything that happens in the demonstration, in order. Only the days differ between starts. */
export const story = (firm: NamedFirm): Happening[] =>
  [
    ...oldMatters.flatMap((matter, index) => oldMatterStory(firm, matter, index)),
    ...callers.flatMap((caller, index) => callerStory(firm, caller, index)),
    ...formSenders.map(
      ({ name, area, minutesAgo }): Happening => ({
        at: new Date(firm.now.getTime() - minutesAgo * minute),
        by: 'ada',
        throughKey: true,
        tell: (w) => createLead(w, { ...prospect(name), ...interest(firm, area, 'Website') }),
      }),
    ),
  ].sort((one, another) => one.at.getTime() - another.at.getTime());

/** The events of one record, each some days after the one before, in working hours. */
const openDiary = ({ now }: NamedFirm, daysAgo: number, index: number) => {
  const happenings: Happening[] = [];
  const latest = now.getTime() - daysAgo * day - 30 * minute;
  const first = new Date(latest);
  first.setUTCHours(8 + (index % 8), (index * 17) % 60, (index * 7) % 60, 0);
  let due = Math.min(first.getTime(), latest);
  // What is new stays new on a Sunday, too.
  let last = daysAgo < 1 ? latest : 0;
  return {
    happenings,
    /** Moves `days` forward, but not into the future. */
    later(days: number, by: Person, tell: Happening['tell']) {
      due += days * day + 7 * minute;
      last = Math.max(
        last + 1,
        Math.min(weekday(due), now.getTime() - (40 - happenings.length) * minute),
      );
      happenings.push({ at: new Date(last), by, tell });
    },
  };
};

/** The same hour of the Friday before, for a Saturday or a Sunday. */
const weekday = (at: number) => {
  const back = [2, 0, 0, 0, 0, 0, 1][new Date(at).getUTCDay()] ?? 0;
  return at - back * day;
};

const attorneys = ['ben', 'dana'] as const;
/** After seven minutes, half an hour, an hour, three hours, a day. */
const daysUntilAnswered = [0, 0.016, 0.037, 0, 0.12, 0, 1];
const among = <One>(list: readonly One[], index: number) => list[index % list.length] as One;

const prospect = (name: string) => {
  const [firstName = '', lastName = ''] = name.split(/ (.*)/s);
  return { firstName, lastName, ...reachedBy(name) };
};

const everybody = [
  ...[...callers, ...formSenders].map(({ name }) => name),
  ...oldMatters.map(({ client }) => client),
];

/** An email address and a phone number for each person that nobody really has. */
const reachedBy = (name: string) => {
  const address = name.toLowerCase().replaceAll(/[^a-z]+/g, '.');
  const number = String((everybody.indexOf(name) * 23) % 1000).padStart(3, '0');
  return { email: `${address}@mail.example`, phone: `+44 20 7946 0${number}` };
};

const interest = ({ areas }: NamedFirm, area: string, source: string) => ({
  practiceAreaId: areas[area]?.id ?? '',
  customFields: { Source: source },
});

const callerStory = (firm: NamedFirm, caller: Caller, index: number): Happening[] => {
  const { fate, reason, isPrivate = false, name, said, value } = caller;
  const { happenings, later } = openDiary(firm, caller.daysAgo, index);
  const { members, stages, reasons } = firm;
  const attorney = isPrivate ? 'ada' : among(attorneys, index);
  const taker = index % 6 === 4 && !isPrivate ? attorney : 'iris';
  let lead = { id: '', contact: { id: '' } };
  const note = (text: string) => (w: Write) =>
    storeNote(w, { about: 'lead', recordId: lead.id }, text);
  const moveTo = (stage: number) => (w: Write) =>
    updateLead(w, lead.id, { leadStageColumnId: stages[stage] ?? '' });

  later(0, taker, async (w) => {
    const body = { ...prospect(name), ...interest(firm, caller.area, caller.source), isPrivate };
    const made = await createLead(
      w,
      { ...body, ...(value && { value }) },
      { assigneeIds: [members[taker]] },
    );
    lead = { id: made.id, contact: { id: made.contact?.id ?? '' } };
  });
  later(among(daysUntilAnswered, index), taker, note(said));
  if (fate === 'draft') later(0, taker, (w) => setLeadStatus(w, lead.id, 'DRAFT'));
  const comesTo = typeof fate === 'number' ? fate : fate === 'hired' ? 3 : index % 3;
  if (comesTo >= 1) later(0.2, taker, moveTo(1));
  if (comesTo >= 2) {
    const both = [...new Set([members[taker], members[attorney]])];
    later(1, taker, (w) => assignLead(w, lead.id, both));
    later(0, taker, moveTo(2));
  }
  if (comesTo >= 3) {
    later(3, attorney, note(among(consultations, index)));
    later(0, attorney, moveTo(3));
  }
  if (fate === 2 || fate === 3) {
    const [title, dueOn] = [among(leadTaskTitles, index), dayFrom(firm, among([1, 0, 3], index))];
    later(0, taker, (w) => {
      return addTask(w, { leadId: lead.id, title, dueOn, assigneeId: members[taker] });
    });
  }
  if (fate === 3) {
    const when = hourOf(index, firm.now.getTime() + among([3, 5, 8], index) * day);
    const guests = [people[attorney].email];
    later(0, taker, (w) => {
      return addEvent(w, { leadId: lead.id, title: 'First meeting', guests, ...when });
    });
  }
  if (typeof fate === 'number' && index % 4 !== 3) {
    later(0, taker, (w) => updateLead(w, lead.id, {}, { nextTouch: nextTouchOf(firm, index) }));
  }
  if (fate === 'archived') later(2, taker, (w) => setLeadStatus(w, lead.id, 'ARCHIVE'));
  if (reason) {
    const text = among(afterwards, index);
    const reasonId = reasons[reason] ?? null;
    later(2, attorney, (w) => declineLead(w, lead.id, { reasonId, note: text }));
  }
  if (fate === 'hired') {
    const limitation = [60, 240, 14, 88, null, 31, 410, 120, null][index % 9] ?? null;
    const known = { title: `${name}: ${caller.area.toLowerCase()}`, area: caller.area, limitation };
    matterStory(firm, later, { ...known, attorney, stage: index % 3, index }, (w, body) =>
      hireLead(w, lead.id, { ...body, clientContactIds: [lead.contact.id] }),
    );
  }
  return happenings;
};

/** Some leads are called back today or in the next days, at a time or at any; one is overdue. */
const nextTouchOf = (firm: NamedFirm, index: number) => {
  const days = among([1, 0, 2, 5, 1, -1, 3], index);
  const time = among(['', 'T10:30', '', 'T15:00', 'T09:00'], index);
  return `${dayFrom(firm, days)}${time}`;
};

const dayFrom = ({ now }: NamedFirm, days: number) =>
  dayIn(new Date(now.getTime() + days * day), 'UTC');

const oldMatterStory = (firm: NamedFirm, old: OldMatter, index: number): Happening[] => {
  const { happenings, later } = openDiary(firm, old.daysAgo, index);
  const attorney = index % 5 === 4 ? 'ada' : among(attorneys, index);
  let contactId = '';
  later(0, 'cy', async (w) => {
    const { email, phone } = reachedBy(old.client);
    const isCompany = /Ltd|Choir/.test(old.client);
    const { firstName, lastName } = prospect(old.client);
    const named = isCompany ? { companyName: old.client } : { firstName, lastName };
    const type = isCompany ? 'COMPANY' : 'PERSON';
    ({ id: contactId } = await createContact(w, {
      type,
      ...named,
      emails: [email],
      phones: [phone],
    }));
  });
  matterStory(firm, later, { ...old, attorney, index: index + 3 }, (w, body) =>
    createMatter(w, { ...body, clientContactIds: [contactId] }),
  );
  return happenings;
};

type Later = ReturnType<typeof openDiary>['later'];
type Opened = {
  title: string;
  area: string;
  stage: number;
  limitation: number | null;
  end?: OldMatter['end'];
  attorney: Person;
  index: number;
};
type Body = Parameters<typeof createMatter>[1];

const wholeDay = (at: Date) => {
  const firstDay = at.toISOString().slice(0, 10);
  return { firstDay, lastDay: firstDay };
};

/** An hour of a weekday, between nine and four. */
const hourOf = (index: number, near: number) => {
  const startsAt = new Date(weekday(near));
  startsAt.setUTCHours(9 + (index % 7), index % 2 ? 30 : 0, 0, 0);
  return { startsAt, endsAt: new Date(startsAt.getTime() + 60 * minute) };
};

const todayIn = async (w: Write) => (await w.now()).toISOString().slice(0, 10);

/** The events of a matter: its opening, notes, tasks, dates, stages and end. */
const matterStory = (
  firm: NamedFirm,
  later: Later,
  { title, area, stage, limitation, end, attorney, index }: Opened,
  open: (w: Write, body: Body) => Promise<{ id: string }>,
) => {
  const { now, members } = firm;
  const known = firm.areas[area] ?? { id: '', stages: [] };
  const dayOf = (days: number) => new Date(now.getTime() + days * day).toISOString().slice(0, 10);
  let matterId = '';
  let firstTaskId = '';
  later(1, attorney, async (w) => {
    const opened = await open(w, {
      title,
      practiceAreaId: known.id,
      openDate: await todayIn(w),
      ...(limitation !== null && { solDate: dayOf(limitation) }),
      ...(end === 'draft' && { status: 'DRAFT' as const }),
      team: [
        { memberId: members[attorney], role: 'RESPONSIBLE_ATTORNEY', allocation: 70 },
        { memberId: members.cy, role: 'RESPONSIBLE_STAFF', allocation: 30 },
      ],
    });
    matterId = opened.id;
  });
  const note = (text: string) => (w: Write) =>
    storeNote(w, { about: 'matter', recordId: matterId }, text);
  const isClosed = end === 'closed';
  const assignees = [members.cy, members[attorney], null] as const;
  const task = (at: number) => (w: Write) =>
    addTask(w, {
      matterId,
      title: among(taskTitles, index + at),
      dueOn: isClosed || (index + at) % 5 === 4 ? null : dayOf(((index * 3 + at * 5) % 24) - 3),
      assigneeId: among(assignees, index + at),
    });
  const dueTask = task(0);
  later(0.1, 'cy', async (w) => {
    const { id } = await dueTask(w);
    firstTaskId = id;
  });
  // The owner leads few matters, so her days come from them.
  const ownersDays = attorney === 'ada' && !end ? [(index % 4) - 1, (index % 12) + 1] : [];
  for (const [at, days] of ownersDays.entries()) {
    const title = among(taskTitles, index + 4 + at);
    const input = { title, dueOn: dayOf(days), assigneeId: members.ada };
    later(1, 'ada', (w) => addTask(w, { matterId, ...input }));
  }
  later(2, attorney, note(among(matterNotes, index)));
  for (let at = 1; at <= stage; at += 1) {
    const practiceAreaStageColumnId = known.stages[at] ?? '';
    later(9, attorney, (w) => updateMatter(w, matterId, { practiceAreaStageColumnId }));
    later(0, 'cy', task(at));
  }
  if (index % 3 === 1 || isClosed) later(1, 'cy', (w) => moveTask(w, firstTaskId, 'done'));
  const eventAt = hourOf(index, now.getTime() + (isClosed ? -20 : (index % 11) * 2 - 3) * day);
  const guests = [people[attorney].email, people.cy.email];
  const when = index % 6 === 5 ? wholeDay(eventAt.startsAt) : eventAt;
  const { title: eventTitle, kind } = among(events, index);
  const kindId = (kind && firm.eventKinds[kind]) ?? null;
  later(1, 'cy', (w) => addEvent(w, { matterId, title: eventTitle, kindId, guests, ...when }));
  if (area === servedOn.area && !end) {
    const serve = (days: number) => (w: Write) =>
      updateMatter(w, matterId, { customFields: { [servedOn.field]: dayOf(days) } });
    later(0, 'cy', serve(-9));
    later(0, 'cy', (w) =>
      addRuledDates(w, { id: matterId, practiceAreaId: known.id }, members[attorney]),
    );
    // The court's paper has another day: the matter's page asks whether the date moves.
    if (index % 2 === 0) later(2, attorney, serve(-6));
  }
  later(6, 'cy', note(among(matterNotes, index + 4)));
  const isMet = limitation !== null && index % 9 === 2;
  if (isMet) later(2, attorney, async (w) => meetLimitation(w, matterId, await todayIn(w)));
  if (!isClosed) return;
  later(30, attorney, async (w) =>
    updateMatter(w, matterId, { status: 'ARCHIVE', closeDate: await todayIn(w) }),
  );
};
