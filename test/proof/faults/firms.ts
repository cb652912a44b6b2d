/** The firms whose clients work at the laboratory, and what those know. */
import { attorney, bookkeeper, makeFirm, owner } from '../../support/firm.ts';
import type { Laboratory } from './laboratory.ts';

/** What a client knows of a record: what was acknowledged last. */
export type Known = {
  resource: 'leads' | 'matters';
  id: string;
  /** A lead's custom field, a matter's title. */
  token: string;
  isDeleted: boolean;
  updates: number;
  /** Of a matter: how often it was archived, and its parts. */
  timesArchived: number;
  clients: string[];
  team: string[];
  /** The request that made it; undefined where only its repeat was answered. */
  requestId: string | undefined;
};

export type FirmOfClients = Awaited<ReturnType<typeof makeFirm>> & {
  /** A word that is in every text of this firm and nowhere else. */
  marker: string;
  /** Most seconds between two leads of a quiet firm, to whose leads nothing happens; 0 of a busy one. */
  quietSeconds: number;
  known: Map<string, Known>;
};

const muted = 'dee@harrow.example';

const parts = {
  members: [
    { email: owner, name: 'Ada Harrow', role: 'Owner' },
    { email: attorney, name: 'Ben Lane', role: 'Attorney' },
    { email: bookkeeper, name: 'Cy Moss', role: 'Bookkeeper' },
    { email: muted, name: 'Dee Roe', role: 'Attorney' },
  ],
  customFields: [{ on: 'lead', name: 'Token', type: 'TEXT' }],
};

/** Makes two busy firms and four quiet ones. */
export const makeFirms = async ({ databaseUrl }: Laboratory): Promise<FirmOfClients[]> => {
  const firms: FirmOfClients[] = [];
  for (const quietSeconds of [0, 0, 1, 4, 8, 14]) {
    const firm = await makeFirm({ url: '', databaseUrl }, parts);
    await firm.command(['notify', 'set', '--member', muted, 'lead.new', 'off']);
    const marker = `Mark${firm.id.replaceAll('-', '')}`;
    firms.push({ ...firm, marker, quietSeconds, known: new Map() });
  }
  return firms;
};
