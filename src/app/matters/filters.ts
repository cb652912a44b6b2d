import { everyMatter, type MatterFilter } from '../../matters/filter.ts';
import { matterStatuses, teamRoles } from '../../matters/table.ts';
import { fieldsIn, listAddress, partsIn } from '../list-query.ts';

/**
 * The filter in an address. Wrong values are left out. The status is ACTIVE by default; `ALL` means
 * any.
 */
export const filterIn = (query: URLSearchParams, memberId: string): MatterFilter => {
  const { words, among, id, day } = partsIn(query);
  const who = (name: string) => (query.get(name) === 'me' ? memberId : id(name));
  return {
    ...everyMatter,
    status:
      query.get('status') === 'ALL'
        ? null
        : (among('status', [...matterStatuses, 'CURRENT']) ?? 'ACTIVE'),
    area: id('area'),
    stage: id('stage'),
    type: id('type'),
    responsible: who('responsible'),
    member: who('member'),
    role: among('role', teamRoles),
    limitation: among('limitation', ['none', 'missing', 'open', 'met']),
    limitationFrom: day('limitationFrom'),
    limitationTo: day('limitationTo'),
    openedFrom: day('openedFrom'),
    openedTo: day('openedTo'),
    closedFrom: day('closedFrom'),
    closedTo: day('closedTo'),
    q: words('q'),
    fields: fieldsIn(query),
  };
};

/** The address of the list for a filter. A report's figure links to it. */
export const mattersAddress = (filter: Partial<MatterFilter>): string =>
  listAddress('/matters', filter);
