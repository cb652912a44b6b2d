/** One record of each resource, as the tests that hold for all of them make and change it. */
import type { Firm } from './firm.ts';

/** What the tests must know of a resource beyond its card. */
export type Sample = {
  /** What a create takes at least. */
  create(firm: Firm): Record<string, unknown>;
  /** A change of one field, by its stored value. */
  change: Record<string, unknown>;
  /** A body that is refused for the type of one field, create or update. */
  misshapen: Record<string, unknown>;
  /** The list that a record made by `create` appears in. */
  list(firm: Firm): string;
  /** Bodies that name another record by its id, by the field that does. */
  references?(firm: Firm, contactId: string): Record<string, Record<string, unknown>>;
  /** Which of the references an update takes. */
  movable?: string[];
  carriesCustomFields: boolean;
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
};
