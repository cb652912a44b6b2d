/** One record of each resource, as the tests that hold for all of them make and change it. */
import { attorney, type Firm } from './firm.ts';

type Body = Record<string, unknown>;

/** What the tests must know of a resource beyond its card. */
export type Sample = {
  /** What a create takes at least. */
  create(firm: Firm): Body | Promise<Body>;
  /** A change of one field, by its stored value. */
  change: Record<string, unknown>;
  /** A body that is refused for the type of one field, create or update. */
  misshapen: Record<string, unknown>;
  /** The list that a record made by `create` appears in. */
  list(firm: Firm): string | Promise<string>;
  /** Bodies that name another record by its id, by the field that does. */
  references?(firm: Firm, contactId: string): References | Promise<References>;
  /** Which of the references an update takes. */
  movable?: string[];
  carriesCustomFields: boolean;
  /** How the audit log says that one was deleted, where a delete cancels it. */
  gone?: { action: 'update'; field: 'cancelledAt' };
};

type References = Record<string, Body>;

const matters = new WeakMap<Firm, Promise<string>>();

/** A matter of the firm for what is about one, made with the first of them. */
export const matterFor = (firm: Firm): Promise<string> => {
  const make = async () => {
    const body = await samples.matters?.create(firm);
    return (await firm.owner.post('/v1/matters', body)).body.data.id as string;
  };
  const made = matters.get(firm) ?? make();
  matters.set(firm, made);
  return made;
};

/** By the resource's name. */
export const samples: Record<string, Sample> = {
  contacts: {
    create: () => ({ lastName: 'Quill' }),
    change: { lastName: 'Reed' },
    misshapen: { lastName: 5 },
    list: () => '/v1/contacts',
    carriesCustomFields: true,
  },
  leads: {
    create: () => ({ lastName: 'Quill' }),
    change: { value: 'HIGH' },
    misshapen: { value: 5 },
    list: () => '/v1/leads',
    references: (firm) => ({
      practiceAreaId: { practiceAreaId: firm.practiceAreas.Family?.id },
      leadStageColumnId: { leadStageColumnId: firm.leadStages.New },
    }),
    movable: ['practiceAreaId', 'leadStageColumnId'],
    carriesCustomFields: true,
  },
  'practice-areas': {
    create: () => ({ name: 'Tax' }),
    change: { name: 'Trusts' },
    misshapen: { name: 5 },
    list: () => '/v1/practice-areas',
    carriesCustomFields: false,
  },
  'matter-types': {
    create: (firm) => ({ name: 'Will', practiceAreaId: firm.practiceAreas.Estates?.id }),
    change: { name: 'Probate' },
    misshapen: { name: 5 },
    list: (firm) => `/v1/matter-types?practiceAreaId=${firm.practiceAreas.Estates?.id}`,
    references: (firm) => ({ practiceAreaId: { practiceAreaId: firm.practiceAreas.Family?.id } }),
    carriesCustomFields: false,
  },
  matters: {
    create: (firm) => ({
      practiceAreaId: firm.practiceAreas.Family?.id,
      openDate: '2026-02-03',
    }),
    change: { title: 'Quill v. Reed' },
    misshapen: { title: 5 },
    list: () => '/v1/matters',
    references: (firm, contactId) => ({
      practiceAreaId: { practiceAreaId: firm.practiceAreas.Estates?.id },
      practiceAreaStageColumnId: {
        practiceAreaStageColumnId: firm.practiceAreas.Family?.stages.Filed,
      },
      clientContactIds: { clientContactIds: [contactId] },
      team: { team: [{ memberId: Object.values(firm.members)[0] }] },
    }),
    movable: ['practiceAreaId', 'practiceAreaStageColumnId'],
    carriesCustomFields: true,
  },
  tasks: {
    create: async (firm) => ({ title: 'Write to the court', matterId: await matterFor(firm) }),
    change: { title: 'Call the court' },
    misshapen: { title: 5 },
    list: async (firm) => `/v1/tasks?matterId=${await matterFor(firm)}`,
    references: async (firm) => ({
      matterId: { matterId: await matterFor(firm) },
      assigneeId: { assigneeId: firm.members[attorney] },
    }),
    movable: ['assigneeId'],
    carriesCustomFields: false,
    gone: { action: 'update', field: 'cancelledAt' },
  },
  'calendar-events': {
    create: async (firm) => ({
      title: 'Hearing',
      matterId: await matterFor(firm),
      startsAt: '2031-04-02T09:30:00.000Z',
      guests: ['zoe@quill.example'],
    }),
    change: { title: 'Second hearing' },
    misshapen: { title: 5 },
    list: async (firm) => `/v1/calendar-events?matterId=${await matterFor(firm)}`,
    references: async (firm) => ({ matterId: { matterId: await matterFor(firm) } }),
    carriesCustomFields: false,
    gone: { action: 'update', field: 'cancelledAt' },
  },
  notes: {
    create: async (firm) => ({ text: 'She prefers mornings.', matterId: await matterFor(firm) }),
    change: { text: 'She prefers afternoons.' },
    misshapen: { text: 5 },
    list: async (firm) => `/v1/notes?matterId=${await matterFor(firm)}`,
    references: async (firm) => ({ matterId: { matterId: await matterFor(firm) } }),
    carriesCustomFields: false,
  },
};
