import { sql } from 'drizzle-orm';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { closeness } from './words.ts';

type OfMatter = { id: string; isByClient: boolean };

/**
 * What was found, with the names of the clients by whom matters were: of several, the first whose names and numbers contain
 * most of the words. The caller has found the matters for the reader.
 */
export const withClients = async <Row extends OfMatter>(
  reader: Reader,
  rows: readonly Row[],
  words: readonly string[],
): Promise<(Row & { client?: string | undefined })[]> => {
  const ids = rows.filter(({ isByClient }) => isByClient).map(({ id }) => id);
  if (ids.length === 0) return [...rows];
  const names = await namesOfClients(reader, ids, words);
  return rows.map((row) => (row.isByClient ? { ...row, client: names.get(row.id) } : row));
};

const namesOfClients = async (reader: Reader, ids: string[], words: readonly string[]) => {
  const rows = await reader.run(clients, { firmId: reader.firmId, ids });
  const best = new Map<string, { name: string; sum: number }>();
  for (const { matterId, name, text } of rows) {
    const sum = words.reduce((total, word) => total + closeness(text, word), 0);
    if (sum > (best.get(matterId)?.sum ?? 0)) best.set(matterId, { name, sum });
  }
  return new Map([...best].map(([id, { name }]) => [id, name]));
};

type ClientRow = { matterId: string; name: string; text: string };

const clients = statement(
  ({ firmId, ids }: Given<{ firmId: string; ids: string[] }>) => sql<ClientRow>`
    select part.matter_id::text as "matterId", contact.name, contact.findable_by as text
    from matter_client part
    join contact on contact.firm_id = part.firm_id and contact.id = part.contact_id
    where part.firm_id = ${firmId} and part.matter_id = any(${ids}::uuid[])
    order by part.matter_id, part.position`,
);
