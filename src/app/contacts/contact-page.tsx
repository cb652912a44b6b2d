/** @jsxImportSource preact */
import type { ComponentChild } from 'preact';
import { dayIn } from '../../base/calendar-date.ts';
import { readContact } from '../../contacts/contact.ts';
import type { ContactFull } from '../../contacts/wire.ts';
import { type CustomField, customFieldsOn } from '../../custom-fields/custom-field.ts';
import { timelineOf } from '../../leads/timeline.ts';
import { type MailToGuest, mailsToGuest } from '../../mail/to-guest.ts';
import { leadsOfContact, mattersOfContact, type OfContact } from '../../matters/of-contacts.ts';
import { keptInPlaceOf, mergesInto } from '../../merging/stored.ts';
import { notesAbout } from '../../notes/note.ts';
import { runsOf } from '../../search/runs.ts';
import { AsksDelete, OpensDelete } from '../asks.tsx';
import { customFields, namesInValues } from '../custom-fields.tsx';
import { LeftOut } from '../deleted-record.tsx';
import { useFrame } from '../frame.tsx';
import { seeOther } from '../headers.ts';
import { Icon } from '../icon.tsx';
import { MailTag } from '../mail-state.tsx';
import { MoreActions } from '../menus.tsx';
import { DayWords, MomentSaid } from '../moments.tsx';
import { Crumbs, Making, NoneYet, Panel, Title } from '../page-parts.tsx';
import { valuesOf } from '../records/field.tsx';
import type { SeenNames } from '../records/kinds.tsx';
import { rememberedByAddress } from '../remembered.ts';
import { linesIn, NotesAndTimeline, type Told } from '../timeline.tsx';
import { DetailsPanel } from '../values.tsx';
import { page, type Shown, type Visit } from '../visit.ts';
import { type Contact, contactFields, fieldsFor } from './fields.tsx';
import { LikeIt, likeContact, MergedInto } from './merge.tsx';
import { CallAndEmail } from './reach.tsx';

const showContact = async (visit: Visit<'/contacts/:id'>): Promise<Shown | Response> => {
  const { actor, parameters, may, query, session } = visit;
  const { id } = parameters;
  const contact = await readOrKept(visit, id);
  if (typeof contact === 'string') return seeOther(`/contacts/${contact}`);
  const [defined, leads, matters, merges, runs] = await Promise.all([
    customFieldsOn(actor, 'CONTACT'),
    may('leads:read') ? leadsOfContact(actor, id) : undefined,
    may('matters:read') ? mattersOfContact(actor, id) : undefined,
    mergesInto(actor, id),
    runsOf(actor),
  ]);
  const others = [...told('lead', leads), ...told('matter', matters)];
  const all = [id, ...others.map((one) => one.id)];
  const [names, [timeline, like, notes, mails], ofOthers] = await Promise.all([
    namesInValues(visit, { defined, customFields: contact.customFields }),
    Promise.all([
      timelineOf(actor, all, linesIn(query), [contact]),
      may('contacts:write')
        ? likeContact(actor, contact, { timeZone: session.timeZone, runs })
        : [],
      notesAbout(actor, ...all),
      mailsToGuest(
        actor,
        contact.emails.map(({ address }) => address),
      ),
    ]),
    Promise.all([
      leads?.length ? customFieldsOn(actor, 'LEAD') : [],
      matters?.length ? customFieldsOn(actor, 'MATTER') : [],
    ]),
  ]);
  const mayWrite = may('contacts:write');
  return {
    title: contact.name,
    follows: ['contact', 'lead', 'matter', 'note', 'lead_stage', 'stage'],
    work: mayWrite ? 'note' : undefined,
    record: contact.type === 'COMPANY' ? 'Company' : 'Contact',
    main: (
      <>
        <Crumbs path="/contacts" name="Contacts" here={contact.name} />
        <LeftOut />
        <Head contact={contact} mayWrite={mayWrite} />
        <CallAndEmail contact={contact} />
        {mayWrite && (
          <AsksDelete list="contacts" id={id} name={contact.name}>
            <p>
              The contact leaves the lists and the search. Its leads and matters stay, without the
              contact.
            </p>
          </AsksDelete>
        )}
        <div class="beside in-three">
          <div class="stack">
            {like.length > 0 && <LikeIt id={id} people={like} />}
            {leads && (
              <OfIt id="leads" title="Leads" path="/leads" rows={leads} none="No leads yet." />
            )}
            {matters && (
              <OfIt
                id="matters"
                title="Matters"
                path="/matters"
                rows={matters}
                none="Not a client in any matter."
                action={
                  may('matters:write') && (
                    <a class="button quiet" href={`/matters/new?client=${id}`}>
                      <Icon name="plus" />
                      New matter
                    </a>
                  )
                }
              />
            )}
          </div>
          <NotesAndTimeline
            path={`/contacts/${id}`}
            timeline={timeline}
            notes={notes}
            fields={new Map([defined, ...ofOthers].flat().map((one) => [one.id, one]))}
            mayWrite={mayWrite}
            others={others}
          />
          <div class="stack">
            <Details contact={contact} defined={defined} mayWrite={mayWrite} names={names} />
            {mails.length > 0 && <Mails mails={mails} />}
            {merges.length > 0 && <MergedInto merges={merges} mayWrite={mayWrite} />}
          </div>
        </div>
      </>
    ),
  };
};

/** A contact's leads or matters, as its timeline names them. */
const told = (noun: 'lead' | 'matter', records: readonly OfContact[] = []): Told[] =>
  records.map(({ id, number }) => ({ id, path: `/${noun}s/${id}`, words: `${noun} ${number}` }));

/** The contact; or the id of the one that it was merged into. */
const readOrKept = ({ actor }: Visit, id: string) =>
  readContact(actor, id).catch(async (error: unknown) => {
    const keptId = await keptInPlaceOf(actor, id);
    // For the visitor, a contact that they may not see does not exist, also by its old address.
    if (keptId && (await readContact(actor, keptId))) return keptId;
    throw error;
  });

const Head = ({ contact, mayWrite }: { contact: ContactFull; mayWrite: boolean }) => {
  const { timeZone } = useFrame();
  return (
    <Title
      title={contact.name}
      facts={
        <>
          <span>{contact.type === 'COMPANY' ? 'Company' : 'Person'}</span>
          <span>
            Since <DayWords day={dayIn(new Date(contact.createdAt), timeZone)} />
          </span>
        </>
      }
    >
      <div class="row acts">
        <Making path={`/leads/new?same=${contact.id}`} words="New lead" />
        {mayWrite && (
          <a class="button" href={`/contacts/${contact.id}/merge`}>
            <Icon name="merge" />
            Merge
          </a>
        )}
        {mayWrite && (
          <MoreActions>
            <OpensDelete />
          </MoreActions>
        )}
      </div>
    </Title>
  );
};

const statusWords: Record<string, string> = {
  ACTIVE: 'Active',
  HIRED: 'Hired',
  NOT_HIRED: 'Not hired',
  ARCHIVE: 'Archived',
  ARCHIVED: 'Archived',
  DRAFT: 'Draft',
};

type OfItProps = {
  id: string;
  title: string;
  path: string;
  rows: OfContact[];
  none: string;
  action?: ComponentChild;
};

const OfIt = ({ id, title, path, rows, none, action }: OfItProps) => (
  <Panel id={id} title={title} action={action}>
    {rows.length === 0 ? (
      <NoneYet text={none} />
    ) : (
      <ul class="rows">
        {rows.map((row) => (
          <li>
            <div class="grow">
              <a class="name" href={`${path}/${row.id}`}>
                {row.title}
              </a>
              <div class="sub">
                {row.number} · {row.stageName}
              </div>
            </div>
            <span class="tag">{statusWords[row.status] ?? row.status}</span>
          </li>
        ))}
      </ul>
    )}
  </Panel>
);

/** The invitations and cancellations that went to the contact by mail. */
const Mails = ({ mails }: { mails: readonly MailToGuest[] }) => (
  <Panel id="mails" title="Mails">
    <ul class="rows">
      {mails.map(({ eventId, title, method, state, queuedAt }) => (
        <li>
          <div class="grow">
            <a class="name" href={`/calendar/${eventId}`}>
              {title}
            </a>
            <div class="sub">
              {method === 'CANCEL' ? 'Cancellation' : 'Invitation'}, <MomentSaid at={queuedAt} />
            </div>
          </div>
          <MailTag state={state} />
        </li>
      ))}
    </ul>
  </Panel>
);

type DetailsProps = {
  contact: ContactFull;
  defined: readonly CustomField[];
  mayWrite: boolean;
  names: SeenNames;
};

const { emails, phones } = contactFields;

/** A contact's details. Each can be edited in place. */
const Details = rememberedByAddress(({ contact, defined, mayWrite, names }: DetailsProps) => {
  const action = mayWrite ? `/contacts/${contact.id}` : undefined;
  const of = { record: contact, choices: {}, action };
  return (
    <DetailsPanel
      values={[
        ...valuesOf(fieldsFor(contact), of),
        ...valuesOf({ emails, phones }, of),
        ...valuesOf(customFields<Contact>(defined, names), of),
      ]}
    />
  );
});

export const contactPage = page('/contacts/:id', 'contacts:read', showContact);
