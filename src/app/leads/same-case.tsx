/** @jsxImportSource preact */
import type { OfKnown, WhyApart } from '../../merging/same-person.ts';
import { mergesInto } from '../../merging/stored.ts';
import { Act } from '../form.tsx';
import { Icon } from '../icon.tsx';
import type { Visit } from '../visit.ts';

/** Whether a visitor's new lead of a known person may be merged into the person's contact. */
export const mergesLeads = ({ may }: Visit) =>
  may('contacts:read') && may('contacts:write') && may('leads:read');

export const whyApartForRole =
  'Your role does not merge contacts, so the lead keeps a contact of its own.';

const whyApart: Record<WhyApart | 'role', string> = {
  privateLead:
    'The lead is private, so it was not merged with the contact that the firm knows: it keeps a contact of its own, which only those assigned and the owners see.',
  hiddenContact:
    'The contact that the firm knows is hidden, because it came with a private lead. So it was not merged: everybody who reads contacts would have seen it.',
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
            Created, and merged with <a href={`/contacts/${contact.id}`}>{contact.name}</a>, whom
            the firm knows.
          </p>
          {may('contacts:write') && <Act action={`/contacts/merges/${last.id}/undo`}>Undo</Act>}
        </div>
      )}
    </>
  );
};
