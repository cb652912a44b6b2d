/** @jsxImportSource preact */

import { isId } from '../../base/columns.ts';
import { invalidField, notFound } from '../../base/refusal.ts';
import { plainly } from '../../base/rule.ts';
import { readContact } from '../../contacts/contact.ts';
import { everyContact, readContacts } from '../../contacts/overview.ts';
import type { ContactFull } from '../../contacts/wire.ts';
import { type CustomField, customFieldsOn } from '../../custom-fields/custom-field.ts';
import { countOfContacts } from '../../matters/of-contacts.ts';
import { mergeContacts, type Reads, waysToBoth } from '../../merging/merge.ts';
import { keptBy, mergesInto, reveals } from '../../merging/stored.ts';
import { undoMerge } from '../../merging/undo.ts';
import type { Actor } from '../../record/actor.ts';
import { type Ground, knownPeople } from '../../search/known.ts';
import { cameFrom } from '../address.ts';
import { Choices } from '../choices.tsx';
import { customFields } from '../custom-fields.tsx';
import { afterReturn } from '../deleted-record.tsx';
import type { Fields } from '../fields.ts';
import { Act, Form } from '../form.tsx';
import { Icon } from '../icon.tsx';
import { Island } from '../island.tsx';
import { sameWords } from '../leads/lead-contact.tsx';
import { MomentSaid } from '../moments.tsx';
import { counted } from '../numbers.ts';
import { Crumbs, Panel, Title } from '../page-parts.tsx';
import { valueIn } from '../records/field.tsx';
import { wordsOf } from '../records/kinds.tsx';
import { saying } from '../said.ts';
import { withOneStop } from '../sentence.ts';
import {
  form,
  type Page,
  page,
  type Shown,
  type ShownPage,
  type Undo,
  type Visit,
} from '../visit.ts';
import { type Contact, contactFields } from './fields.tsx';
import { MergeFinder } from './merge-finder.tsx';

const may = 'contacts:write';

/** Contacts that may be the same, by address, number or name. */
export const likeContact = (
  actor: Actor,
  { id, name, emails, phones }: ContactFull,
  ground: Ground,
) =>
  knownPeople(
    actor,
    {
      name,
      emails: emails.map(({ address }) => address),
      phones: phones.map(({ number }) => number),
    },
    { ...ground, except: id },
  );

type Like = Awaited<ReturnType<typeof likeContact>>;

/** The contacts that may be the same, on a contact's page. */
export const LikeIt = ({ id, people }: { id: string; people: Like }) => (
  <Panel id="like" title="May be the same">
    <ul class="rows">
      {people.map((one) => (
        <li>
          <div class="grow">
            <a class="name" href={`/contacts/${one.id}`}>
              {one.name}
            </a>
            <div class="sub">Has {sameWords(one.same)}</div>
          </div>
          <a class="button small" href={`/contacts/${id}/merge?with=${one.id}`}>
            Compare
          </a>
        </li>
      ))}
    </ul>
  </Panel>
);

type MergedProps = { merges: Awaited<ReturnType<typeof mergesInto>>; mayWrite: boolean };

/** The contacts that were merged into a contact. The last merge can be undone. */
export const MergedInto = ({ merges, mayWrite }: MergedProps) => (
  <Panel id="merged" title="Merged into this contact">
    <ul class="rows">
      {merges.map(({ id, mergedName, memberName, at }, nth) => (
        <li>
          <div class="grow">
            {mergedName}
            <div class="sub">
              By {memberName} <MomentSaid at={at} />
            </div>
          </div>
          {nth === 0 && mayWrite && (
            <Act action={`/contacts/merges/${id}/undo`} class="button small">
              Undo<span class="hide"> the merge of {mergedName}</span>
            </Act>
          )}
        </li>
      ))}
    </ul>
  </Panel>
);

const showMerge = async (visit: Visit<'/contacts/:id/merge'>): Promise<Shown> => {
  const { actor, parameters, query } = visit;
  const contact = await readContact(actor, parameters.id);
  const otherId = query.get('with') ?? visit.refused?.fields.text('with') ?? '';
  if (otherId && (!isId(otherId) || otherId === contact.id)) throw notFound();
  const other = otherId ? await readContact(actor, otherId) : undefined;
  return {
    title: `Merge ${contact.name}`,
    place: '/contacts',
    main: (
      <>
        <Crumbs
          path="/contacts"
          name="Contacts"
          here={contact.name}
          to={`/contacts/${contact.id}`}
        />
        <Title
          title={other ? `Merge ${other.name} into ${contact.name}` : 'Merge with another contact'}
        />
        {other ? await compare(visit, contact, other) : await choose(visit, contact)}
      </>
    ),
  };
};

const choose = async ({ actor, query }: Visit, contact: ContactFull) => {
  const words = query.get('q')?.trim().slice(0, 255) ?? '';
  const filter = { ...everyContact, q: words || contact.name };
  const page = { limit: 20, offset: 0 };
  const { rows } = await readContacts(actor, filter, { by: 'name', isDown: false }, page);
  const others = rows.filter(({ id }) => id !== contact.id);
  const none =
    others.length === 0 &&
    `No other contact has ${words ? `“${words}”` : `a name like “${contact.name}”`}.`;
  return (
    <div class="stack prose">
      <form class="form" method="get">
        <Island name="merge" of={MergeFinder} props={{ id: contact.id, words, none }} />
        <div class="row end">
          <a class="button" href={`/contacts/${contact.id}`}>
            Cancel
          </a>
          <button class="button primary">Search</button>
        </div>
      </form>
      {others.length > 0 && (
        <Panel id="others" title="Which contact is the same?">
          <ul class="rows">
            {others.map(({ id, name, emails, phones }) => (
              <li>
                <div class="grow">
                  <a class="name" href={`/contacts/${contact.id}/merge?with=${id}`}>
                    {name}
                  </a>
                  <div class="sub">
                    {[emails[0]?.address, phones[0]?.number].filter(Boolean).join(' · ') ||
                      'No email or phone'}
                  </div>
                </div>
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </div>
  );
};

type Differing = { name: string; label: string; kept: string; merged: string };

/** The fields in which two contacts differ. By default the one that is not empty is taken. */
const differences = (kept: ContactFull, merged: ContactFull, defined: CustomField[]): Differing[] =>
  Object.entries({ ...single, ...customFields<Contact>(defined) })
    .flatMap(([key, { label, kind, edit }]) => {
      if (!edit) return [];
      const words = (contact: ContactFull) => wordsOf(kind, valueIn<Contact>(edit, contact), {});
      const name = key.replace('field.', '');
      return [{ name, label, kept: words(kept), merged: words(merged) }];
    })
    .filter((one) => one.kept !== one.merged);

// Of the others, the kept contact has those of both.
const { emails, phones, ...single } = contactFields;

const compare = async ({ actor, may: mayDo }: Visit, kept: ContactFull, merged: ContactFull) => {
  const [defined, counts, isRevealing, both] = await Promise.all([
    customFieldsOn(actor, 'CONTACT'),
    countOfContacts(actor, [merged.id]),
    reveals(actor, kept.id, merged.id),
    waysToBoth(actor, kept, merged),
  ]);
  const fields = differences(kept, merged, defined);
  const { leads = 0, matters = 0 } = counts.get(merged.id) ?? {};
  const moving = [
    mayDo('leads:read') && leads > 0 && counted(leads, 'lead'),
    mayDo('matters:read') && matters > 0 && counted(matters, 'matter'),
  ].filter(Boolean);
  return (
    <div class="prose">
      <Form action={`/contacts/${kept.id}/merge`}>
        <input type="hidden" name="with" value={merged.id} />
        <p>
          {kept.name} stays.{' '}
          {withOneStop(`${merged.name} is deleted, and old links open ${kept.name}.`)}{' '}
          {moving.length > 0 &&
            `${moving.join(' and ')} of ${merged.name} will belong to ${kept.name}. `}
          Emails and phone numbers of both are kept. A merge can be undone.
        </p>
        {isRevealing && (
          <p class="banner warn" role="note">
            One of the two is hidden, because it came with a private lead. Everyone who reads
            contacts will see this person. The lead stays private.
          </p>
        )}
        {fields.map((field) => (
          <Choices
            name={`field.${field.name}`}
            label={field.label}
            value={field.kept === '' ? 'merged' : 'kept'}
            options={[
              { value: 'kept', name: field.kept || 'Nothing', hint: `From ${kept.name}` },
              {
                value: 'merged',
                name: field.merged || 'Nothing',
                hint: `From ${merged.name}`,
              },
            ]}
          />
        ))}
        <Both label="Emails" of={both.emails.map(({ address }) => address)} />
        <Both label="Phone numbers" of={both.phones.map(({ number }) => number)} />
        <div class="row end">
          <a class="button" href={`/contacts/${merged.id}/merge?with=${kept.id}`}>
            <Icon name="arrow-left-right" />
            Swap the two
          </a>
          <a class="button" href={`/contacts/${kept.id}`}>
            Cancel
          </a>
          <button class="button primary">Merge</button>
        </div>
      </Form>
    </div>
  );
};

/** The addresses that the kept contact will have. */
const Both = ({ label, of }: { label: string; of: string[] }) =>
  of.length === 0 ? null : (
    <p>
      <b>{label}</b>: {of.join(', ')}
    </p>
  );

const readsOf = ({ may: mayDo }: Visit): Reads => ({
  leads: mayDo('leads:read'),
  matters: mayDo('matters:read'),
});

const merge = async (visit: Visit<'/contacts/:id/merge'>, fields: Fields) => {
  const keptId = visit.parameters.id;
  const mergedId = fields.text('with') ?? '';
  if (!isId(mergedId)) {
    const words = 'Choose the other contact from the list';
    throw invalidField('with', plainly(words, 'must be a contact of the firm'));
  }
  const taken = fields.names
    .filter((name) => name.startsWith('field.') && fields.text(name) === 'merged')
    .map((name) => name.slice('field.'.length));
  const { name } = await readContact(visit.actor, mergedId);
  const id = await mergeContacts(visit.actor, {
    keptId,
    mergedId,
    taken: new Set(taken),
    reads: readsOf(visit),
  });
  const back: Undo = { action: `/contacts/merges/${id}/undo`, fields: [] };
  return saying(`/contacts/${keptId}`, `Merged ${name} into {title}.`, back);
};

const undo = async (visit: Visit<'/contacts/merges/:id/undo'>) => {
  const { actor, parameters } = visit;
  const merges = await mergesInto(actor, await keptBy(actor, parameters.id));
  const undone = await undoMerge(actor, parameters.id, readsOf(visit));
  // A lead's page also offers it, right after the lead was made.
  const [from] = cameFrom(visit.request, '').split('?');
  const back = from?.startsWith('/leads/') ? from : `/contacts/${undone.keptId}`;
  const name = merges.find(({ id }) => id === parameters.id)?.mergedName;
  return saying(afterReturn(back, undone), `Merge undone: ${name} is a contact again.`);
};

const mergePage = page('/contacts/:id/merge', { allOf: ['contacts:read', may] }, showMerge);

/** The pages of merging; a refused undo is shown on the page of the contact. */
export const mergePages = (contactPage: ShownPage<'/contacts/:id'>): Page[] => [
  mergePage,
  form('/contacts/:id/merge', may, merge, mergePage),
  form('/contacts/merges/:id/undo', may, undo, {
    ...contactPage,
    path: '/contacts/merges/:id/undo',
    show: async (visit) => {
      const { session, parameters } = visit as Visit<'/:id'>;
      const id = await keptBy(session.actor, parameters.id);
      return contactPage.show({ ...visit, path: `/contacts/${id}`, parameters: { id } });
    },
  }),
];
