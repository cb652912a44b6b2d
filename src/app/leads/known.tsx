/** @jsxImportSource preact */
import { Refusal } from '../../base/refusal.ts';
import type { OfKnown, WhyApart } from '../../merging/same-person.ts';
import { mergesInto } from '../../merging/stored.ts';
import { isDone } from '../../record/repeats.ts';
import { type KnownPerson, knownPeople, type PersonToFind } from '../../search/known.ts';
import type { Fields } from '../fields.ts';
import { Act } from '../form.tsx';
import { Icon } from '../icon.tsx';
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
  const people = await knownPeople(actor, askedBy(fields), {
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

type KnownRecord = KnownPerson['leads'][number];

const leadWords = ({ id, number, title, status }: KnownRecord) => {
  const said = Object.entries(statusNames).find(([one]) => one === status)?.[1] ?? status;
  return { path: `/leads/${id}`, words: `Lead ${number}, ${title}, ${said.toLowerCase()}` };
};

const matterStatuses: { [status: string]: string } = {
  ACTIVE: 'active',
  DRAFT: 'draft',
  ARCHIVE: 'archived',
};

const matterWords = ({ id, number, title, status }: KnownRecord) => ({
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

/** Whether a visitor's new lead of a known person may be merged into the person's contact. */
export const mergesLeads = ({ may }: Visit) =>
  may('contacts:read') && may('contacts:write') && may('leads:read');

export const whyApartForRole =
  'Your role cannot merge contacts, so the lead has a contact of its own.';

const whyApart: Record<WhyApart | 'role', string> = {
  privateLead:
    'The lead is private, so its contact was not merged with the one that the firm knows. Only those assigned and the owners see the lead’s contact.',
  hiddenContact:
    'The contact that the firm knows came with a private lead, so the two contacts were not merged. A merge would show the hidden contact to everyone who reads contacts.',
  role: whyApartForRole,
};

/** The page of a new lead of a known person. It says whether it was merged, and why not. */
export const afterSameCase = ({
  id,
  mergeId,
  apart,
}: Omit<OfKnown, 'apart'> & { apart?: keyof typeof whyApart }) =>
  `/leads/${id}?${new URLSearchParams(apart ? { apart } : { merged: mergeId ?? '' })}`;

/** What the page of a new lead of a known person says first: the merge can be undone there. */
export const sameCaseOf = async (
  { actor, query, may }: Visit,
  contact: { id: string; name: string } | undefined,
) => {
  const apart = Object.entries(whyApart).find(([why]) => why === query.get('apart'));
  const merged = query.get('merged');
  const [last] = contact && merged ? await mergesInto(actor, contact.id) : [];
  return (
    <>
      {apart && (
        <div class="banner" role="status">
          <Icon name="info" />
          <p>{apart[1]}</p>
        </div>
      )}
      {contact && last && last.id === merged && (
        <div class="banner ok same-case" role="status">
          <Icon name="circle-check" />
          <p>
            Lead created. Its contact was merged with{' '}
            <a href={`/contacts/${contact.id}`}>{contact.name}</a>.
          </p>
          {may('contacts:write') && <Act action={`/contacts/merges/${last.id}/undo`}>Undo</Act>}
        </div>
      )}
    </>
  );
};
