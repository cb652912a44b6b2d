/** Random commands as data: what to call, on which record, with what; ids stand in when it runs. */
import fc from 'fast-check';
import type { Kind, Values } from './firm.ts';

/** A record of a kind: the one at a place among all ever made, or one that is not the firm's. */
export type Pick = {
  pick: Kind | 'stages' | 'lead-stages' | 'members';
  of: 'own' | 'other' | 'nobody';
  at: number;
};

export type Command =
  | { do: 'nothing' }
  | ({ firm: number; by: number } & (
      | { do: 'create'; kind: Kind; body: Values }
      | { do: 'update'; kind: Kind; id: Pick; body: Values }
      | { do: 'read' | 'delete'; kind: Kind; id: Pick }
      | { do: 'list'; kind: Kind; limit: number; offset: number; area: Pick }
    ));

const pick = (from: Pick['pick']) =>
  fc.record({
    pick: fc.constant(from),
    of: fc.oneof(
      { weight: 80, arbitrary: fc.constant('own' as const) },
      { weight: 1, arbitrary: fc.constant('other' as const) },
      { weight: 1, arbitrary: fc.constant('nobody' as const) },
    ),
    at: fc.nat(1_000),
  });

/** Now and then something of another type in its place. */
const mostly = (arbitrary: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { weight: 250, arbitrary },
    {
      weight: 1,
      arbitrary: fc.constantFrom<unknown>(null, 5, true, [], {}, 'a\0b', 'x'.repeat(300)),
    },
  );
const orNull = (arbitrary: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 4, arbitrary }, { weight: 1, arbitrary: fc.constant(null) });

/** A body in which each field may be missing. */
const some = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(
    Object.fromEntries(Object.entries(fields).map(([field, one]) => [field, mostly(one)])),
    { requiredKeys: [] },
  );

const text = fc.oneof(
  fc.constantFrom('Quill', 'Reed', ' Rook ', 'é€😀', '"\\', '', ' \t', 'null', '10.5', 'O’Hara'),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
);
const word = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('Quill', ' Reed ', 'Rook', '  é€😀') },
  { weight: 1, arbitrary: text },
);
const day = fc.constantFrom('2026-02-03', '2024-02-29', '0001-01-01', '9999-12-31');

const nameFields = {
  type: fc.constantFrom('PERSON', 'PERSON', 'COMPANY'),
  firstName: text,
  lastName: word,
  companyName: word,
  middleName: text,
  prefix: text,
  suffix: text,
  nickname: text,
  companyType: text,
};

const addresses = (field: string) =>
  fc.array(
    fc.oneof(
      word,
      fc.record(
        { [field]: word, label: orNull(text), isPrimary: fc.boolean() },
        { requiredKeys: [field] },
      ),
    ),
    { maxLength: 3 },
  );

const contactLists = { emails: addresses('address'), phones: addresses('number') };

const values = (more: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(
    {
      ...Object.fromEntries(Object.entries(more).map(([name, one]) => [name, orNull(mostly(one))])),
      Nope: fc.constant(1),
      Scan: fc.constant('x'),
    },
    { requiredKeys: [] },
  );

/** Unknown and uncarried fields are rare: else hardly any write would get through. */
const rarely = (arbitrary: fc.Arbitrary<Values>) =>
  fc.tuple(arbitrary, fc.nat(15)).map(([{ Nope, Scan, ...fields }, chance]) => ({
    ...fields,
    ...(chance === 0 && Nope !== undefined ? { Nope } : {}),
    ...(chance === 1 && Scan !== undefined ? { Scan } : {}),
  }));

const customFields = {
  contacts: rarely(values({ Note: text })),
  leads: rarely(
    values({
      Source: fc.constantFrom('Web', 'Friend'),
      Score: fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0),
    }),
  ),
  matters: rarely(values({ Court: text, Opponent: pick('contacts'), Related: pick('matters') })),
};

const area = pick('practice-areas');
const privacy = {
  isPrivate: fc.boolean(),
  value: fc.constantFrom('LOWEST', 'LOW', 'MEDIUM', 'HIGH', 'HIGHEST'),
};
const matterFields = {
  title: text,
  description: text,
  customFields: customFields.matters,
  closeDate: day,
  solDate: day,
};
const role = fc.constantFrom('ORIGINATING_ATTORNEY', 'RESPONSIBLE_ATTORNEY', 'RESPONSIBLE_STAFF');
const team = fc.array(
  fc.record(
    {
      memberId: pick('members'),
      role,
      allocation: fc.constantFrom(0, 0, 100, 100, 12.5, 33.333333333333336, 1, 50, 99.99, 0.1, 101),
    },
    { requiredKeys: ['memberId'] },
  ),
  { maxLength: 4 },
);
const newStages = fc.array(fc.record({ name: word }), { maxLength: 3 });
const stages = fc.array(fc.record({ id: pick('stages'), name: word }, { requiredKeys: ['name'] }), {
  maxLength: 4,
});

/** With these fields always there, so that most creates succeed. */
const withThese = (fields: Record<string, fc.Arbitrary<unknown>>, more: fc.Arbitrary<Values>) =>
  fc.tuple(fc.record(fields), more).map(([these, rest]) => ({ ...these, ...rest }) as Values);

const surely = { lastName: fc.constantFrom('Quill', 'Reed', ' Rook ') };

const bodies: Record<Kind, { create: fc.Arbitrary<Values>; update: fc.Arbitrary<Values> }> = {
  contacts: {
    create: withThese(
      surely,
      some({ ...nameFields, ...contactLists, customFields: customFields.contacts }),
    ),
    update: some({
      ...nameFields,
      lastName: orNull(word),
      ...contactLists,
      customFields: customFields.contacts,
    }),
  },
  leads: {
    create: withThese(
      surely,
      some({
        ...nameFields,
        ...privacy,
        email: text,
        phone: text,
        practiceAreaId: area,
        leadStageColumnId: pick('lead-stages'),
        customFields: customFields.leads,
      }),
    ),
    update: some({
      isPrivate: privacy.isPrivate,
      value: orNull(privacy.value),
      practiceAreaId: orNull(area),
      leadStageColumnId: pick('lead-stages'),
      customFields: customFields.leads,
    }),
  },
  matters: {
    create: withThese(
      { practiceAreaId: area, openDate: mostly(day) },
      some({
        ...matterFields,
        status: fc.constantFrom('ACTIVE', 'ACTIVE', 'ACTIVE', 'DRAFT', 'DRAFT', 'DRAFT', 'ARCHIVE'),
        clientContactIds: fc.array(pick('contacts'), { maxLength: 4 }),
        team,
      }),
    ),
    update: some({
      ...matterFields,
      openDate: day,
      description: orNull(text),
      closeDate: orNull(day),
      status: fc.constantFrom('ACTIVE', 'DRAFT', 'ARCHIVE'),
      practiceAreaId: area,
      practiceAreaStageColumnId: pick('stages'),
    }),
  },
  'practice-areas': {
    create: withThese({ name: word, stages: newStages }, fc.constant({})),
    update: some({ name: word, stages }),
  },
  'matter-types': {
    create: withThese({ practiceAreaId: area, name: word }, fc.constant({})),
    update: some({ name: word, practiceAreaId: area }),
  },
};

const kind = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Kind>('contacts') },
  { weight: 4, arbitrary: fc.constant<Kind>('leads') },
  { weight: 5, arbitrary: fc.constant<Kind>('matters') },
  { weight: 3, arbitrary: fc.constant<Kind>('practice-areas') },
  { weight: 1, arbitrary: fc.constant<Kind>('matter-types') },
);

const caller = { firm: fc.nat(1), by: fc.nat(2) };

const call = kind.chain((kind) => {
  const on = { ...caller, kind: fc.constant(kind), id: pick(kind) };
  const make = (action: 'create') =>
    fc.record({
      ...caller,
      do: fc.constant(action),
      kind: fc.constant(kind),
      body: bodies[kind].create,
    });
  return fc.oneof(
    { weight: 5, arbitrary: make('create') },
    {
      weight: 5,
      arbitrary: fc.record({
        ...on,
        do: fc.constant('update' as const),
        body: bodies[kind].update,
      }),
    },
    { weight: 2, arbitrary: fc.record({ ...on, do: fc.constant('read' as const) }) },
    { weight: 1, arbitrary: fc.record({ ...on, do: fc.constant('delete' as const) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        ...caller,
        do: fc.constant('list' as const),
        kind: fc.constant(kind),
        area,
        limit: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constantFrom(1, 20, 100, 100, 0, 101)),
        offset: fc.oneof(fc.nat(12), fc.constantFrom(0, 0, 0, 1_000_000, -1)),
      }),
    },
  );
});

/** What both firms start with, so that most commands find something to work on. */
export const firstCommands: Command[] = [0, 1].flatMap((firm): Command[] => {
  const make = { firm, by: 0, do: 'create' as const };
  const own = { of: 'own' as const, at: 0 };
  return [
    {
      ...make,
      kind: 'practice-areas',
      body: { name: 'Family', stages: [{ name: 'Intake' }, { name: 'Filed' }] },
    },
    { ...make, kind: 'contacts', body: { lastName: 'Quill', emails: ['quill@harrow.example'] } },
    { ...make, by: 1, kind: 'leads', body: { lastName: 'Reed', isPrivate: true } },
    {
      ...make,
      kind: 'matters',
      body: {
        openDate: '2026-02-03',
        practiceAreaId: { ...own, pick: 'practice-areas' },
        clientContactIds: [{ ...own, pick: 'contacts' }],
      },
    },
    {
      ...make,
      kind: 'matter-types',
      body: { name: 'Divorce', practiceAreaId: { ...own, pick: 'practice-areas' } },
    },
  ];
});

/** One command. In a failing sequence those that do not matter shrink to nothing. */
export const command: fc.Arbitrary<Command> = fc.oneof(
  { withCrossShrink: true },
  { weight: 1, arbitrary: fc.constant<Command>({ do: 'nothing' }) },
  { weight: 200, arbitrary: call as fc.Arbitrary<Command> },
);
