import type { Named } from '../about/subject.ts';
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

/** Who may make or change some of them. */
export const writers = { anyOf: ['leads:write', 'matters:write'] } as const;
