import { type DefinedField, viewCustomFields } from '../custom-fields/custom-field.ts';
import { type Include, includesNothing } from '../record/page.ts';
import type { contact } from './table.ts';
import type { ContactFull, ContactRow } from './wire.ts';

type Stored = Omit<
  typeof contact.$inferSelect,
  'deletedAt' | 'ordinal' | 'firmId' | 'searchText' | 'isPrivate' | 'externalId'
> & { externalId?: string | null };

/** The fields of a contact that people write, without its custom fields. */
export const writtenFields = (stored: Pick<Stored, keyof ContactRow>) => ({
  type: stored.type,
  name: stored.name,
  prefix: stored.prefix,
  firstName: stored.firstName,
  middleName: stored.middleName,
  lastName: stored.lastName,
  suffix: stored.suffix,
  nickname: stored.nickname,
  companyName: stored.companyName,
  tradeName: stored.tradeName,
  companyType: stored.companyType,
  emails: stored.emails,
  phones: stored.phones,
});

export const viewContact = (stored: Stored, include: Include = includesNothing): ContactRow => {
  const view = {
    id: stored.id,
    ...writtenFields(stored),
    createdAt: stored.createdAt.toISOString(),
    updatedAt: stored.updatedAt.toISOString(),
  };
  return include.has('externalId') ? { ...view, externalId: stored.externalId ?? null } : view;
};

export const viewContactFull = (
  stored: Stored,
  defined: readonly DefinedField[],
  include?: Include,
): ContactFull => ({
  ...viewContact(stored, include),
  ...viewCustomFields(defined, stored.customFields),
});
