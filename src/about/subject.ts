import { sql } from 'drizzle-orm';
import { t } from 'elysia';
import { isId } from '../base/columns.ts';
import { invalid, invalidField, notFoundField } from '../base/refusal.ts';
import { isNotTheIdOf } from '../base/rule.ts';
import { idText, withSample } from '../base/shapes.ts';
import { mustHold } from '../firm/rights.ts';
import { lead } from '../leads/table.ts';
import { matter } from '../matters/table.ts';
import { type Given, shortStatement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { canSeeLead, type Viewer, viewerOf } from '../visibility/visibility.ts';

/** How a caller names the record that notes, tasks and calendar events are about. */
export type Named = { leadId?: string | undefined; matterId?: string | undefined };

/** The same, as parameters of a list, which is of one record. */
export const subjectParameters = {
  leadId: t.Optional(
    withSample(
      idText('The lead that they are about; or send matterId.'),
      '019f0000-0000-7000-8000-000000000002',
    ),
  ),
  matterId: t.Optional(idText('The matter that they are about; or send leadId.')),
};

/** The record that they are about. A contact has none of them, for the API. */
export type Subject = { about: 'lead' | 'matter'; recordId: string };

const kinds = {
  lead: { field: 'leadId', permission: 'leads', list: 'GET /v1/leads' },
  matter: { field: 'matterId', permission: 'matters', list: 'GET /v1/matters' },
} as const;

/**
 * The one record that a caller names, if the reader may read it, or change what is about it. Throws
 * `Refusal`: forbidden without the record's permission; not_found for a record that is unknown or
 * hidden; invalid_request unless exactly one is named.
 */
export const subjectOf = async (
  reader: Reader,
  { leadId, matterId }: Named,
  right: 'read' | 'write',
): Promise<Subject> => {
  const named: Subject[] = [
    ...(leadId === undefined ? [] : [{ about: 'lead' as const, recordId: leadId }]),
    ...(matterId === undefined ? [] : [{ about: 'matter' as const, recordId: matterId }]),
  ];
  const [subject, other] = named;
  if (!subject) throw invalid('leadId or matterId is required: it names the lead or the matter.');
  for (const one of named) await mustSee(reader, one, right);
  if (other) throw invalidField('matterId', 'must not be sent together with leadId');
  return subject;
};

const mustSee = async (reader: Reader, { about, recordId }: Subject, right: 'read' | 'write') => {
  const { field, permission, list } = kinds[about];
  await mustHold(reader, `${permission}:${right}`);
  const found = isId(recordId)
    ? await reader.first(seen[about], { ...viewerOf(reader), id: recordId })
    : undefined;
  if (!found) throw notFoundField(field, isNotTheIdOf(`a ${about} of the firm`), list);
};

/** Throws `Refusal` forbidden unless the reader's role allows this with what is about the record. */
export const mustHoldFor = (reader: Reader, about: Subject['about'], right: 'read' | 'write') =>
  mustHold(reader, `${kinds[about].permission}:${right}`);

type Asked = Viewer & { id: string };

const seen = {
  lead: shortStatement(
    (given: Given<Asked>) => sql<{ id: string }>`
      select ${lead.id}::text as id from ${lead} where ${lead.firmId} = ${given.firmId}
        and ${lead.id} = ${given.id} and ${lead.deletedAt} is null and ${canSeeLead(given)}`,
  ),
  matter: shortStatement(
    (given: Given<Asked>) => sql<{ id: string }>`
      select ${matter.id}::text as id from ${matter} where ${matter.firmId} = ${given.firmId}
        and ${matter.id} = ${given.id} and ${matter.deletedAt} is null`,
  ),
};
