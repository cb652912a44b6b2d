/** @jsxImportSource preact */
import type { MatterRecord } from '../../matters/record.ts';
import type { Impact } from '../../matters/status.ts';
import { Asks, AsksDelete, OpensDelete } from '../asks.tsx';
import { Opens } from '../dialog.tsx';
import { Export } from '../export.tsx';
import { Act } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { MoreActions } from '../menus.tsx';
import { DayWords } from '../moments.tsx';
import { counted } from '../numbers.ts';
import { Crumbs, Title } from '../page-parts.tsx';
import { AppliesList } from '../tasks/rows.tsx';
import type { Visit } from '../visit.ts';
import { statusNames } from './fields.tsx';

/** What archiving and deleting the matter would do. */
type Impacts = { archive: Impact; delete: Impact };

type HeadProps = { matter: MatterRecord; impacts: Impacts | undefined };

/** The head of a matter's page: its status, and what can be done with it. */
export const Head = ({ matter, impacts }: HeadProps) => {
  const area = matter.practiceArea?.name;
  return (
    <>
      <Crumbs path="/matters" name="Matters" here={matter.publicId} />
      <Title
        title={matter.title}
        facts={
          <>
            <span class={matter.status === 'ACTIVE' ? 'tag accent' : 'tag'}>
              {statusNames[matter.status]}
            </span>
            <span>{matter.type ? `${area}, ${matter.type.name}` : area}</span>
            {matter.openDate && (
              <span>
                Opened <DayWords day={matter.openDate} />
              </span>
            )}
            {matter.formerNumber && <span>Formerly {matter.formerNumber}</span>}
          </>
        }
      >
        <Actions matter={matter} mayWrite={impacts !== undefined} />
      </Title>
      {impacts && <Ask matter={matter} impacts={impacts} />}
    </>
  );
};

type ActionsProps = Pick<HeadProps, 'matter'> & { mayWrite: boolean };

const Actions = ({ matter: { id, status }, mayWrite }: ActionsProps) => {
  const { may } = useFrame().visit as Visit;
  if (!mayWrite && !may('data:export')) return null;
  const action = `/matters/${id}/status`;
  return (
    <div class="row acts">
      {mayWrite && status !== 'ACTIVE' && (
        <Act action={action} fields={{ status: 'ACTIVE' }} class="button primary">
          {status === 'ARCHIVE' ? 'Reactivate' : 'Make active'}
        </Act>
      )}
      {mayWrite && status === 'ACTIVE' && (
        <>
          <Adds path="/tasks/new" matterId={id} name="Task" />
          <Adds path="/calendar/new" matterId={id} name="Event" />
        </>
      )}
      <MoreActions>
        {mayWrite && status === 'ACTIVE' && (
          <Act action={action} fields={{ status: 'DRAFT' }} class="item">
            <Icon name="file-text" />
            Move to drafts
          </Act>
        )}
        {mayWrite && status !== 'ARCHIVE' && (
          <>
            <AppliesList of={{ about: 'matter', id }} class="item" />
            <a class="item" href={`/matters/${id}/rules`}>
              <Icon name="calendar" />
              Add dates by rule
            </a>
          </>
        )}
        {mayWrite && status !== 'ARCHIVE' && (
          <Opens dialog="archive" class="item">
            <Icon name="archive" />
            Archive
          </Opens>
        )}
        <Export action={`/matters/${id}/bundle`} class="item" />
        {mayWrite && <OpensDelete />}
      </MoreActions>
    </div>
  );
};

/** Opens the form of a new task or event of the matter. */
const Adds = ({ path, matterId, name }: { path: string; matterId: string; name: string }) => (
  <form class="act" method="get" action={path}>
    <input type="hidden" name="matter" value={matterId} />
    <button class="button">
      <Icon name="plus" />
      {name}
    </button>
  </form>
);

/** Asks before something that cannot be undone completely. */
const Ask = ({ matter, impacts }: { matter: MatterRecord; impacts: Impacts }) => {
  return (
    <>
      <Asks
        id="archive"
        title={`Archive ${matter.publicId}?`}
        action={`/matters/${matter.id}/status`}
        fields={{ status: 'ARCHIVE' }}
        verb="Archive"
      >
        <p>{impactWords('Archiving', impacts.archive)}</p>
        <p class="muted">The matter can be made active again. {staysCancelled}</p>
      </Asks>
      <AsksDelete list="matters" id={matter.id} name={matter.publicId}>
        <p>{impactWords('Deleting', impacts.delete)}</p>
        <p class="muted">{staysCancelled}</p>
      </AsksDelete>
    </>
  );
};

const staysCancelled = 'Cancelled tasks and events are not restored, and the notices stay.';

/** `Archiving cancels 3 tasks and 2 events, and tells 4 people.` */
const impactWords = (doing: string, { tasks, events, told }: Impact): string => {
  const cancelled = [
    tasks > 0 && counted(tasks, 'task'),
    events > 0 && counted(events, 'event'),
  ].filter(Boolean);
  const cancels = cancelled.length > 0 ? cancelled.join(' and ') : 'no task and no event';
  const tells = told > 0 ? counted(told, 'person', 'people') : 'nobody';
  return `${doing} cancels ${cancels}, and tells ${tells}.`;
};
