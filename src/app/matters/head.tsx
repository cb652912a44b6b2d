/** @jsxImportSource preact */
import type { MatterRecord } from '../../matters/record.ts';
import type { Impact } from '../../matters/status.ts';
import { Cancel, Dialog, Opens } from '../dialog.tsx';
import { Export } from '../export.tsx';
import { Act } from '../form.tsx';
import { Icon } from '../icon.tsx';
import { Title } from '../list.tsx';
import { DayWords } from '../moments.tsx';
import { counted } from '../numbers.ts';
import { statusNames } from './words.ts';

/** What archiving and deleting the matter would do. */
type Impacts = { archive: Impact; delete: Impact };

type HeadProps = { matter: MatterRecord; impacts: Impacts | undefined };

/** The head of a matter's page: its status, and what can be done with it. */
export const Head = ({ matter, impacts }: HeadProps) => {
  const area = matter.practiceArea?.name;
  return (
    <>
      <nav class="crumbs" aria-label="Where this is">
        <a href="/matters">Matters</a>
        <Icon name="chevron-right" />
        <span>{matter.publicId}</span>
      </nav>
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
        <Export action={`/matters/${matter.id}/bundle`} />
        {impacts && <Actions matter={matter} />}
      </Title>
      {impacts && <Ask matter={matter} impacts={impacts} />}
    </>
  );
};

const Actions = ({ matter: { id, status } }: Pick<HeadProps, 'matter'>) => {
  const action = `/matters/${id}/status`;
  return (
    <div class="row">
      {status !== 'ACTIVE' && (
        <Act action={action} fields={{ status: 'ACTIVE' }} class="button primary">
          {status === 'ARCHIVE' ? 'Reactivate' : 'Make active'}
        </Act>
      )}
      {status === 'ACTIVE' && (
        <Act action={action} fields={{ status: 'DRAFT' }}>
          Make a draft
        </Act>
      )}
      {status !== 'ARCHIVE' && <Opens dialog="archive">Archive</Opens>}
      <Opens dialog="delete" class="button danger">
        Delete
      </Opens>
    </div>
  );
};

/** Asks before something that cannot be undone completely. */
const Ask = ({ matter, impacts }: { matter: MatterRecord; impacts: Impacts }) => (
  <>
    <Dialog id="archive" title={`Archive ${matter.publicId}?`} class="slim">
      <p>{impactWords('Archiving', impacts.archive)}</p>
      <p class="muted">
        The matter can be made active again. What is cancelled stays cancelled, and the notices are
        not taken back.
      </p>
      <div class="row end after">
        <Cancel />
        <Act
          action={`/matters/${matter.id}/status`}
          fields={{ status: 'ARCHIVE', do: 'archive' }}
          class="button primary"
        >
          Archive
        </Act>
      </div>
    </Dialog>
    <Dialog id="delete" title={`Delete ${matter.publicId}?`} class="slim">
      <p>{impactWords('Deleting', impacts.delete)}</p>
      <p class="muted">
        You can restore the matter under{' '}
        <a href="/settings/deleted?kind=matters">Settings, Deleted records</a>. What is cancelled
        stays cancelled, and the notices are not taken back.
      </p>
      <div class="row end after">
        <Cancel />
        <Act action={`/matters/${matter.id}/delete`} class="button danger">
          Delete
        </Act>
      </div>
    </Dialog>
  </>
);

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
