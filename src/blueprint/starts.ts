/** What a new firm may start from: each is a blueprint without a name and people. */
import { permissions } from '../contents.ts';
import type { Blueprint } from './blueprint.ts';

/** A start, as people choose it. */
type Start = {
  id: string;
  name: string;
  /** What it brings, in a line. */
  hint: string;
  leadStages: string[];
  practiceAreas: NonNullable<Blueprint['practiceAreas']>;
  /** Fields of leads and matters beyond the usual; every start has the lead's source. */
  customFields?: NonNullable<Blueprint['customFields']>;
};

const usualLeadStages = ['New', 'Contacted', 'Consultation booked', 'Engagement sent'];
const courtStages = ['Intake', 'Pleadings', 'Discovery', 'Negotiation', 'Hearing', 'Closing'];

const families = {
  name: 'Family',
  stages: ['Intake', 'Filed', 'Discovery', 'Mediation', 'Hearing', 'Closing'],
  matterTypes: ['Divorce', 'Custody', 'Support', 'Adoption'],
};
const estates = {
  name: 'Estates',
  stages: ['Intake', 'Drafting', 'Review', 'Signing', 'Closing'],
  matterTypes: ['Will', 'Trust', 'Power of attorney'],
};
const injuries = {
  name: 'Personal injury',
  stages: ['Intake', 'Treatment', 'Demand', 'Negotiation', 'Litigation', 'Settlement'],
  matterTypes: ['Car accident', 'Slip and fall', 'Medical negligence', 'Workplace injury'],
  expectsLimitationDate: true,
};

export const starts: readonly Start[] = [
  {
    id: 'general',
    name: 'General practice',
    hint: 'Family, estates, personal injury, disputes, business',
    leadStages: usualLeadStages,
    practiceAreas: [
      families,
      estates,
      injuries,
      {
        name: 'Disputes',
        stages: courtStages,
        matterTypes: ['Contract', 'Property', 'Employment'],
      },
      {
        name: 'Business',
        stages: ['Intake', 'Drafting', 'Negotiation', 'Signing', 'Closing'],
        matterTypes: ['Formation', 'Contract', 'Sale of a business'],
      },
    ],
  },
  {
    id: 'family',
    name: 'Family law',
    hint: 'Divorce, custody, adoption',
    leadStages: usualLeadStages,
    practiceAreas: [
      { ...families, name: 'Divorce', matterTypes: ['Contested', 'Uncontested', 'Separation'] },
      { ...families, name: 'Custody and support', matterTypes: ['Custody', 'Child support'] },
      {
        name: 'Adoption',
        stages: ['Intake', 'Home study', 'Filed', 'Hearing', 'Closing'],
        matterTypes: ['Stepparent', 'Agency', 'Private'],
      },
    ],
  },
  {
    id: 'personal-injury',
    name: 'Personal injury',
    hint: 'Accidents, negligence, settlements',
    leadStages: ['New', 'Contacted', 'Records requested', 'Consultation booked', 'Agreement sent'],
    practiceAreas: [
      { ...injuries, name: 'Motor vehicle', matterTypes: ['Car', 'Motorcycle', 'Truck'] },
      { ...injuries, name: 'Premises', matterTypes: ['Slip and fall', 'Dog bite'] },
      { ...injuries, name: 'Medical negligence', matterTypes: ['Surgery', 'Diagnosis', 'Birth'] },
    ],
    customFields: [
      { on: 'lead', name: 'Date of injury', type: 'DATE' },
      { on: 'matter', name: 'Date of injury', type: 'DATE' },
    ],
  },
  {
    id: 'immigration',
    name: 'Immigration',
    hint: 'Family and work visas, citizenship, asylum',
    leadStages: usualLeadStages,
    practiceAreas: [
      ['Family visas', ['Spouse', 'Parent', 'Child']] as const,
      ['Work visas', ['Specialist', 'Transfer', 'Investor']] as const,
      ['Citizenship', ['Naturalisation', 'Certificate']] as const,
      ['Asylum and removal', ['Asylum', 'Removal defence']] as const,
    ].map(([name, matterTypes]) => ({
      name,
      stages: ['Intake', 'Documents', 'Filed', 'Evidence requested', 'Interview', 'Decision'],
      matterTypes: [...matterTypes],
    })),
    customFields: [{ on: 'contact', name: 'Preferred language', type: 'TEXT' }],
  },
  {
    id: 'estate',
    name: 'Estate planning',
    hint: 'Wills, trusts, probate',
    leadStages: usualLeadStages,
    practiceAreas: [
      { ...estates, name: 'Estate planning' },
      {
        name: 'Probate',
        stages: ['Intake', 'Petition', 'Inventory', 'Creditors', 'Distribution', 'Closing'],
        matterTypes: ['With a will', 'Without a will', 'Small estate'],
      },
      { ...estates, name: 'Trusts', matterTypes: ['Administration', 'Special needs'] },
    ],
  },
];

const settings = ['practice-areas:read', 'matter-types:read', 'custom-fields:read'];
const contacts = ['contacts:read', 'contacts:write'];
const leads = ['leads:read', 'leads:write'];
const matters = ['matters:read', 'matters:write'];

/** The roles that every start brings, beside Owner. */
const roles = [
  { name: 'Administrator', permissions: [...permissions] },
  {
    name: 'Attorney',
    permissions: [...contacts, ...leads, ...matters, ...settings, 'reports:read'],
  },
  { name: 'Paralegal', permissions: [...contacts, 'leads:read', ...matters, ...settings] },
  { name: 'Intake', permissions: [...contacts, ...leads, 'matters:read', ...settings] },
];

/** Where a lead came from. Reports count leads by it. */
const source = {
  on: 'lead' as const,
  name: 'Source',
  type: 'SELECT' as const,
  options: ['Website', 'Referral', 'Search', 'Advertisement', 'Former client', 'Other'],
};

/** The blueprint of a firm that starts so, with these people. */
export const blueprintFrom = (
  { leadStages, practiceAreas, customFields = [] }: Start,
  { name, timeZone, members }: Required<Pick<Blueprint, 'name' | 'timeZone' | 'members'>>,
): Blueprint => ({
  name,
  timeZone,
  roles,
  members,
  numbering: { lead: 'L-{####}', matter: 'M-{YYYY}-{####}' },
  leadStages,
  practiceAreas,
  customFields: [source, ...customFields],
  sourceField: source.name,
});
