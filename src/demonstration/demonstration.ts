import { createKey } from '../api-keys/api-key.ts';
import { makeFirm } from '../blueprint/apply.ts';
import { blueprintFrom, starts } from '../blueprint/starts.ts';
import { eventKindList } from '../calendar/kinds.ts';
import { chooseHolidays } from '../firm/holidays/days.ts';
import { listMembers } from '../firm/member.ts';
import { notHiredReasonList } from '../leads/reasons.ts';
import { leadStageList } from '../leads/stages.ts';
import type { Database } from '../postgres/pool.ts';
import { allPracticeAreas } from '../practice-areas/list.ts';
import { administrator, type Reader } from '../record/actor.ts';
import { type Write, writeWithin } from '../record/write.ts';
import { type Person, people } from './cast.ts';
import { makeRules } from './rules.ts';
import { type Happening, type NamedFirm, story } from './story.ts';
import { events } from './words.ts';

export const demonstrationName = 'Harrow & Lane';

const timeZone = 'Europe/London';
/** England: the firm's courts are in London. */
const holidaysOf = 'GB-ENG';
const madeDaysAgo = 300;
const eventKinds = new Set(events.flatMap(({ kind }) => kind ?? []));

/**
 * Makes the demonstration's firm with some months of work, by the verbs that people and programs
 * use, in one transaction. Made-up work of the past has made-up times.
 */
export const makeDemonstrationFirm = (database: Database, firmId: string, now: Date) =>
  database.transaction(
    async (transaction) => {
      const tell = (
        author: { at: Date; memberId: string | null; keyId: string | null },
        work: (w: Write) => Promise<unknown>,
      ) => {
        const requestId = Bun.randomUUIDv7();
        return writeWithin(
          transaction,
          { firmId, seesPrivate: true, requestId, ...author },
          async (w) => void (await work(w)),
        );
      };
      const founded = {
        at: new Date(now.getTime() - madeDaysAgo * 86_400_000),
        memberId: null,
        keyId: null,
      };
      await tell(founded, (w) => makeFirm(w, firmsBlueprint()));
      for (const kind of eventKinds) await tell(founded, (w) => eventKindList.add(w, kind));
      const firm = await namedFirm({ ...administrator(database, firmId), ...transaction }, now);
      const byAda = { ...founded, memberId: firm.members.ada };
      await tell(byAda, (w) => chooseHolidays(w, holidaysOf));
      await tell(byAda, (w) => makeRules(w, firm.areas));
      const keyId = await formsKey(founded.at, firm, tell);
      for (const happening of story(firm)) {
        await tell(authorOf(happening, firm, keyId), happening.tell);
      }
    },
    { of: firmId },
  );

const firmsBlueprint = () => {
  const [general] = starts;
  if (!general) throw new Error('There is no start.');
  return blueprintFrom(general, {
    name: demonstrationName,
    timeZone,
    members: Object.values(people),
  });
};

type Tell = (
  author: { at: Date; memberId: string | null; keyId: string | null },
  work: (w: Write) => Promise<unknown>,
) => Promise<void>;

/** The key of the form on the firm's website. Nobody knows its secret. */
const formsKey = async (at: Date, { members }: NamedFirm, tell: Tell): Promise<string> => {
  let id = '';
  await tell({ at, memberId: members.ada, keyId: null }, async (w) => {
    const input = { name: 'Website form', scopes: ['leads:write' as const], expiresAt: null };
    ({ id } = await createKey(w, { ...input, memberId: members.ada }));
  });
  return id;
};

const authorOf = ({ at, by, throughKey }: Happening, { members }: NamedFirm, keyId: string) => ({
  at,
  memberId: members[by],
  keyId: throughKey ? keyId : null,
});

/** The firm's records by their names. */
const namedFirm = async (reader: Reader, now: Date): Promise<NamedFirm> => {
  const [members, stages, reasons, areas, kinds] = await Promise.all([
    listMembers(reader),
    leadStageList.all(reader),
    notHiredReasonList.all(reader),
    allPracticeAreas(reader),
    eventKindList.all(reader),
  ]);
  const idOf = (email: string) => members.find((one) => one.email === email)?.id ?? '';
  return {
    now,
    members: Object.fromEntries(
      Object.entries(people).map(([name, { email }]) => [name, idOf(email)]),
    ) as Record<Person, string>,
    stages: stages.map(({ id }) => id),
    reasons: Object.fromEntries(reasons.map(({ name, id }) => [name, id])),
    eventKinds: Object.fromEntries(kinds.map(({ name, id }) => [name, id])),
    areas: Object.fromEntries(
      areas.map(({ name, ...area }) => [
        name,
        { id: area.id, stages: area.stages.map(({ id }) => id) },
      ]),
    ),
  };
};
