/** @jsxImportSource preact */
import type { StatusCounts } from '../../leads/status-counts.ts';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { addressWith, Tabs, Title } from '../list.tsx';

const tabs = [
  ['ACTIVE', 'Active'],
  ['HIRED', 'Hired'],
  ['NOT_HIRED', 'Not hired'],
  ['ARCHIVE', 'Archived'],
  ['DRAFT', 'Drafts'],
] as const;

/** Parts of the address that a change of tab or view removes. */
const leftBehind = { page: null, more: null, shown: null, stage: null, saved: null };

/** The head of the leads' pages: board or list, a new lead, and tabs by status. */
export const LeadsHead = ({
  countOf,
  status,
  isBoard,
}: {
  countOf: StatusCounts;
  /** The status that is shown; null for any. */
  status: keyof StatusCounts | null;
  isBoard: boolean;
}) => {
  const { visit, admits } = useFrame();
  const to = (changes: Record<string, string | null>) =>
    addressWith('/leads', visit.query, { ...leftBehind, ...changes });
  const all = Object.values(countOf).reduce((sum, count) => sum + count, 0);
  return (
    <>
      <Title title="Leads">
        <div class="split">
          <Way to={to({ view: null, status: null })} isHere={isBoard} icon="square-kanban">
            Board
          </Way>
          <Way to={to({ view: 'list' })} isHere={!isBoard} icon="rows-3">
            List
          </Way>
        </div>
        {admits('/leads/new') && (
          <a class="button primary only-wide" href="/leads/new">
            <Icon name="plus" />
            New lead
          </a>
        )}
      </Title>
      <Tabs
        label="Leads by status"
        tabs={[
          ...tabs.map(([of, name]) => ({
            href:
              of === 'ACTIVE'
                ? to({ status: null, view: isBoard ? null : 'list' })
                : to({ status: of, view: 'list' }),
            name,
            count: countOf[of],
            isHere: status === of,
          })),
          ...(isBoard
            ? []
            : [
                {
                  href: to({ status: 'ALL', view: 'list' }),
                  name: 'All',
                  count: all,
                  isHere: status === null,
                },
              ]),
        ]}
      />
    </>
  );
};

const Way = ({
  to,
  isHere,
  icon,
  children,
}: {
  to: string;
  isHere: boolean;
  icon: 'square-kanban' | 'rows-3';
  children: string;
}) => (
  <a
    class="button"
    href={to}
    aria-current={isHere ? 'true' : undefined}
    aria-label={isHere ? `${children}, shown` : undefined}
  >
    <Icon name={icon} />
    {children}
  </a>
);
