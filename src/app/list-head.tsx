/** @jsxImportSource preact */
import { useFrame } from './frame.tsx';
import { Icon } from './icon.tsx';
import { addressWith, Tabs } from './list.tsx';
import { Title } from './page-parts.tsx';
import { rememberedByAddress } from './remembered.ts';

/** What a change of the tab, or between board and list, leaves behind. */
const leftBehind = { page: null, more: null, shown: null, stage: null, saved: null };

type ListHeadProps = {
  path: string;
  title: string;
  /** The words of the button that makes one. */
  making: string;
  /** Each status that has a tab, and its words; the first is that of the board. */
  tabs: readonly (readonly [status: string, name: string])[];
  /** How many there are of each status; null if they were not counted. */
  countOf: Readonly<Record<string, number>> | null;
  /** The status shown; null if all are shown. */
  status: string | null;
  isBoard: boolean;
  /** Parts of the address that its links keep. */
  also?: Readonly<Record<string, string>>;
};

/** The head of a kind of record: board or list, a new one, and the records by status. */
export const ListHead = (props: ListHeadProps) => {
  const { admits } = useFrame();
  return <Head {...props} mayMake={admits(`${props.path}/new`)} />;
};

const Head = rememberedByAddress((props: ListHeadProps & { mayMake: boolean }) => {
  const { path, title, making, tabs, countOf, status, isBoard, also, mayMake } = props;
  const { visit } = useFrame();
  const to = (changes: Record<string, string | null>) =>
    addressWith(path, visit.query, { ...leftBehind, ...also, ...changes });
  const all = countOf && Object.values(countOf).reduce((sum, count) => sum + count, 0);
  const onBoard = tabs[0]?.[0];
  return (
    <>
      <Title title={title}>
        <div class="split">
          <Way to={to({ view: null, status: null })} isHere={isBoard} icon="square-kanban">
            Board
          </Way>
          <Way to={to({ view: 'list' })} isHere={!isBoard} icon="rows-3">
            List
          </Way>
        </div>
        {mayMake && (
          <a class="button primary only-wide" href={`${path}/new`}>
            <Icon name="plus" />
            {making}
          </a>
        )}
      </Title>
      <Tabs
        label={`${title} by status`}
        tabs={[
          ...tabs.map(([of, name]) => ({
            href:
              of === onBoard
                ? to({ status: null, view: isBoard ? null : 'list' })
                : to({ status: of, view: 'list' }),
            name,
            count: countOf && (countOf[of] ?? 0),
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
});

type WayProps = {
  to: string;
  isHere: boolean;
  icon: 'square-kanban' | 'rows-3';
  children: string;
};

const Way = ({ to, isHere, icon, children }: WayProps) => (
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
