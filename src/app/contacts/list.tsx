/** @jsxImportSource preact */
import { readContacts } from '../../contacts/overview.ts';
import { countOfContacts } from '../../matters/of-contacts.ts';
import { contactChoicesOf } from '../../views/choices.ts';
import { useFrame } from '../frame.tsx';
import { Empty } from '../list.tsx';
import { recordList } from '../records/record-list.tsx';
import { type Contact, contactFields, filterIn } from './fields.tsx';

const noCounts = { leads: 0, matters: 0 };

const Nothing = () => {
  const { admits } = useFrame();
  return (
    <Empty text="The firm has no contacts yet. Every new lead adds one.">
      {admits('/settings/imports') && (
        <a class="button" href="/settings/imports">
          Import contacts
        </a>
      )}
    </Empty>
  );
};

/** The firm's contacts as a list, and as a file. */
export const { showList, listForms } = recordList<Contact>({
  list: 'contacts',
  noun: 'contact',
  fields: contactFields,
  foundBy: 'Name, email, phone',
  nameOf: ({ name }) => name,
  filterIn,
  choicesOf: ({ actor }) => contactChoicesOf(actor),
  read: async (actor, filter, order, part) => {
    const { rows, total } = await readContacts(actor, filter, order, part);
    const counts = await countOfContacts(
      actor,
      rows.map(({ id }) => id),
    );
    const lines = rows.map((row) => ({ ...row, ...(counts.get(row.id) ?? noCounts) }));
    return { rows: lines, total, countOf: null };
  },
  Nothing,
});
