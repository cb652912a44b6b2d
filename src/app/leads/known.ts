import { Refusal } from '../../base/refusal.ts';
import { keepingPlans } from '../../record/kept-plans.ts';
import { isDone } from '../../record/repeats.ts';
import { type KnownPerson, knownPeople, type PersonToFind } from '../../search/known.ts';
import type { Fields } from '../fields.ts';
import type { Visit } from '../visit.ts';
import type { Known } from './known-list.tsx';
import { statusNames } from './words.tsx';

/** The words of a form to search for. That of a contact sends several numbers and addresses, one on each line. */
const askedBy = (fields: Fields): PersonToFind => {
  const text = (name: string) => fields.text(name) ?? '';
  const person = [text('firstName'), text('lastName')].filter(Boolean).join(' ');
  return {
    // Too many people share a first name.
    name: text('firstName') && !text('lastName') ? '' : person || text('companyName'),
    emails: [text('email'), ...linesOf(text('emails'))],
    phones: [text('phone'), ...linesOf(text('phones'))],
  };
};

const linesOf = (text: string) => text.split('\n', 10).map((line) => line.trim());

/**
 * People whom the firm may already know, by a form's fields. The visitor's role limits what is
 * shown.
 */
export const knownBy = async ({ actor, may, session }: Visit, fields: Fields): Promise<Known[]> => {
  const people = await knownPeople(keepingPlans(actor), askedBy(fields), {
    timeZone: session.timeZone,
  });
  const [contacts, leads, matters] = [may('contacts:read'), may('leads:read'), may('matters:read')];
  return people
    .map(({ id, name, same, ...of }) => ({
      id,
      name,
      path: contacts ? `/contacts/${id}` : null,
      why: same.map((one) => `same ${one}`),
      fills: contacts ? filledBy(of) : null,
      records: [
        ...(matters ? of.matters.map(matterWords) : []),
        ...(leads ? of.leads.map(leadWords) : []),
      ],
    }))
    .filter(({ path, records }) => path !== null || records.length > 0);
};

/** What a form gets of a known person. An address that they do not have leaves what was typed. */
export const filledBy = (person: Filling) => {
  const names = { firstName: '', lastName: '', companyName: '' };
  const known = askedNames.flatMap((name) => (person[name] ? [[name, person[name]]] : []));
  return { ...names, ...Object.fromEntries(known) } as { [name: string]: string };
};

type Filling = { [Name in (typeof askedNames)[number]]?: string | null | undefined };

const askedNames = ['firstName', 'lastName', 'companyName', 'email', 'phone'] as const;

type Record = KnownPerson['leads'][number];

const leadWords = ({ id, number, title, status }: Record) => {
  const said = Object.entries(statusNames).find(([one]) => one === status)?.[1] ?? status;
  return { path: `/leads/${id}`, words: `Lead ${number}, ${title}, ${said.toLowerCase()}` };
};

const matterStatuses: { [status: string]: string } = {
  ACTIVE: 'active',
  DRAFT: 'draft',
  ARCHIVE: 'archived',
};

const matterWords = ({ id, number, title, status }: Record) => ({
  path: `/matters/${id}`,
  words: `Matter ${number}, ${title}, ${matterStatuses[status] ?? status}`,
});

/**
 * Refuses a form once if the firm may know the person and the form has not named them yet;
 * `otherwise` says what to do if it is somebody else.
 */
export const mustHaveNamed = async (visit: Visit, fields: Fields, otherwise: string) => {
  const named = (fields.raw('known') ?? '').split(' ');
  const known = await knownBy(visit, fields);
  if (known.every(({ id }) => named.includes(id))) return;
  // The form was sent before, and made the contact that is known now.
  if (await isDone(visit.actor)) return;
  throw new Refusal('conflict', `The firm may know this person: see below. ${otherwise}`);
};

/** Answers a form's script with the people whom the firm may already know. */
export const answerKnown = async (visit: Visit, fields: Fields) =>
  Response.json(await knownBy(visit, fields));
