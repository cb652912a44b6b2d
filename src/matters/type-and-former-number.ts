import { and, eq, isNull } from 'drizzle-orm';
import { isId } from '../base/columns.ts';
import { invalidField, notFound, notFoundField } from '../base/refusal.ts';
import { isNotTheIdOf } from '../base/rule.ts';
import { matterType } from '../matter-types/table.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { partsOf, searchTextWith } from '../search-text/search-text.ts';
import { matterForChange } from './list.ts';
import { ownText } from './matter.ts';
import { matter } from './table.ts';

export const longestFormerNumber = 64;

/** A matter's fields that only the application has. A field that is left out stays as it is. */
export type TypeAndFormerNumber = { matterTypeId?: string | null; formerNumber?: string | null };

/**
 * Gives a matter its type, one of its practice area's, and the number it had before it came here, by
 * which it is found. Null takes either away. Throws `Refusal` not_found for the matter or the type, and
 * invalid_request for another area's type or a number of more than 64 characters.
 */
export const setTypeAndFormerNumber = (actor: Acting, id: string, input: TypeAndFormerNumber) =>
  write(actor, async (w) => {
    const stored = isId(id) && (await matterForChange(w, id));
    if (!stored) throw notFound();
    const formerNumber =
      input.formerNumber === undefined
        ? stored.formerNumber
        : input.formerNumber?.trim().normalize('NFC') || null;
    if (formerNumber && [...formerNumber].length > longestFormerNumber) {
      throw invalidField('formerNumber', `must have at most ${longestFormerNumber} characters`);
    }
    const matterTypeId =
      input.matterTypeId === undefined
        ? stored.matterTypeId
        : await typeFor(w, stored.practiceAreaId, input.matterTypeId);
    const { contacts } = partsOf(stored.searchText);
    const own = ownText(stored.number, stored.title, formerNumber);
    const updatedAt = await w.now();
    w.update(matter, stored, {
      matterTypeId,
      formerNumber,
      updatedAt,
      searchText: searchTextWith(own, [contacts]),
    });
  });

const typeFor = async (w: Write, practiceAreaId: string, id: string | null) => {
  if (id === null) return null;
  const found = isId(id) ? await w.first(typeById, { firmId: w.firmId, id }) : undefined;
  if (!found) throw notFoundField('matterTypeId', isNotTheIdOf('a matter type of the firm'));
  if (found.practiceAreaId !== practiceAreaId) {
    throw invalidField('matterTypeId', 'must be a type of the practice area');
  }
  return id;
};

const typeById = statement(({ firmId, id }: Given<'firmId' | 'id'>) =>
  query
    .select({ practiceAreaId: matterType.practiceAreaId, deletedAt: matterType.deletedAt })
    .from(matterType)
    .where(and(eq(matterType.firmId, firmId), eq(matterType.id, id), isNull(matterType.deletedAt))),
);
