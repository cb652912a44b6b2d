import type { Named } from '../about/subject.ts';
import { notFound } from '../base/refusal.ts';
import type { Reader } from '../record/actor.ts';
import type { AboutRecord } from '../visibility/subject.ts';
import type { Admission, Visit } from './visit.ts';

/** The page of the matter or the lead that something is about. */
export const pathOfRecord = ({ about, id }: Pick<AboutRecord, 'about' | 'id'>) =>
  `/${about}s/${id}`;

/** The record that a form's address names (`?lead=`, `?matter=`); undefined if none. */
export const recordIn = (query: URLSearchParams): Pick<AboutRecord, 'about' | 'id'> | undefined => {
  for (const about of ['lead', 'matter'] as const) {
    const id = query.get(about);
    if (id) return { about, id };
  }
  return undefined;
};

/** The same as the verbs take it. */
export const namedBy = ({ about, id }: Pick<AboutRecord, 'about' | 'id'>): Named =>
  about === 'lead' ? { leadId: id } : { matterId: id };

/** Who makes something about a record, must read and change such records; about any, change matters. */
export const mayMakeAbout = ({ query }: Pick<Visit, 'query'>): Admission => {
  const record = recordIn(query);
  return record ? { allOf: [`${record.about}s:read`, `${record.about}s:write`] } : 'matters:write';
};

/** Who sees tasks and dates: those about leads, those about matters, or both. */
export const readsDates = { anyOf: ['leads:read', 'matters:read'] } as const;

/**
 * The task or the event that was looked up. Throws `Refusal` not_found if there is none, or if the member may not read
 * the kind of record that it is about.
 */
export const mustRead = <Found extends Of>(
  found: Found | undefined,
  { may }: Pick<Visit, 'may'>,
) => {
  if (!found || !may(`${found.record.about}s:read`)) throw notFound();
  return found;
};

type Of = { record: AboutRecord };

/** Who may change one of them: who may change what it is about. */
export const changesOf =
  (read: (reader: Reader, id: string) => Promise<Of | undefined>) =>
  async ({ actor, parameters }: Visit<'/:id'>): Promise<Admission | undefined> => {
    const found = await read(actor, parameters.id);
    return found && (`${found.record.about}s:write` as const);
  };

/** Who may make or change some of them. */
export const writers = { anyOf: ['leads:write', 'matters:write'] } as const;
