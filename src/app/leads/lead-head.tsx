/** @jsxImportSource preact */
import type { LeadRecord } from '../../leads/record.ts';
import { Opens } from '../dialog.tsx';
import { beganAs } from '../fields.ts';
import { Act } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { Title } from '../list.tsx';
import { Moment } from '../moments.tsx';
import { durationWords, statusNames } from './words.tsx';

const statusTones: Record<LeadRecord['status'], string> = {
  ACTIVE: 'accent',
  DRAFT: '',
  HIRED: 'ok',
  NOT_HIRED: 'warn',
  ARCHIVE: '',
};

/** What the visitor may do with the lead on its page. */
export type Rights = { write: boolean; hire: boolean };

/** The head of a lead's page: where it stands, and what can be done with it. */
export const Head = ({ lead, rights }: { lead: LeadRecord; rights: Rights }) => (
  <>
    <nav class="crumbs" aria-label="Where this is">
      <a href="/leads">Leads</a>
      <Icon name="chevron-right" />
      <span>{lead.publicId}</span>
    </nav>
    <Title
      title={lead.contact?.name ?? `Lead ${lead.publicId}`}
      facts={
        <>
          <span class={`tag ${statusTones[lead.status]}`}>{statusNames[lead.status]}</span>
          {lead.isPrivate && (
            <span class="tag">
              <Icon name="lock" />
              Private
            </span>
          )}
          {lead.practiceArea && <span>{lead.practiceArea.name}</span>}
          <span>
            Came in <Ago at={new Date(lead.createdAt)} />
          </span>
        </>
      }
    >
      {rights.write && <Actions lead={lead} mayHire={rights.hire} />}
    </Title>
  </>
);

/** A moment of the last day by how long ago it is; any other by its day. */
const Ago = ({ at }: { at: Date }) => {
  const { now } = useFrame();
  if (now.getTime() - at.getTime() > 86_400_000) return <Moment at={at.toISOString()} />;
  return <time dateTime={at.toISOString()}>{durationWords(at, now)} ago</time>;
};

const Actions = ({ lead, mayHire }: { lead: LeadRecord; mayHire: boolean }) => {
  const { status } = lead;
  const action = `/leads/${lead.id}`;
  const isOpen = status === 'ACTIVE';
  return (
    <div class="row lead-actions">
      {isOpen && mayHire && lead.contact && (
        <Opens dialog="hire" look="button primary">
          <Icon name="check" />
          Hire
        </Opens>
      )}
      {!isOpen && status !== 'HIRED' && (
        <Act action={`${action}/status`} fields={{ status: 'ACTIVE' }} look="button primary">
          Reopen
        </Act>
      )}
      {status !== 'HIRED' && status !== 'NOT_HIRED' && <Opens dialog="not-hired">Not hired</Opens>}
      {status !== 'HIRED' && status !== 'ARCHIVE' && (
        <Act action={`${action}/status`} fields={{ status: 'ARCHIVE' }}>
          Archive
        </Act>
      )}
      {status !== 'HIRED' && status !== 'DRAFT' && (
        <Act action={`${action}/status`} fields={{ status: 'DRAFT' }}>
          Make a draft
        </Act>
      )}
      <Act action={`${action}/delete`} look="button danger">
        Delete
      </Act>
    </div>
  );
};

/** Where the lead stands in the pipeline; with the right to it, each stage moves it there. */
export const Stages = ({ lead, mayWrite }: { lead: LeadRecord; mayWrite: boolean }) => {
  const action = `/leads/${lead.id}`;
  const here = lead.leadStageColumnId ?? '';
  const at = lead.stages.findIndex(({ id }) => id === here);
  return (
    <>
      <ol class="stages" aria-label="Stage">
        {lead.stages.map(({ id, name }, position) => {
          const current = position === at ? ('step' as const) : undefined;
          const words = (
            <>
              {position < at && <Icon name="check" />}
              {name}
            </>
          );
          return (
            <li class={position < at ? 'been' : undefined}>
              {mayWrite && current === undefined ? (
                <form class="act" method="post" action={action}>
                  <input type="hidden" name="leadStageColumnId" value={id} />
                  <input type="hidden" name={beganAs('leadStageColumnId')} value={here} />
                  <button aria-label={`Move to ${name}`}>{words}</button>
                </form>
              ) : (
                <span class="step" aria-current={current}>
                  {words}
                </span>
              )}
            </li>
          );
        })}
      </ol>
      {mayWrite ? (
        <StagePicker lead={lead} action={action} />
      ) : (
        <p class="stage-pick">
          Stage: <b>{lead.stages[at]?.name}</b>
        </p>
      )}
    </>
  );
};

/** The stages on a phone: a list and a button, since arrow keys in a list must not move the lead. */
const StagePicker = ({ lead, action }: { lead: LeadRecord; action: string }) => (
  <form class="stage-pick field" method="post" action={action}>
    <label for="stage">Stage</label>
    <div class="row">
      <span class="select grow">
        <select class="input" id="stage" name="leadStageColumnId">
          {lead.stages.map(({ id, name }) => (
            <option value={id} selected={id === lead.leadStageColumnId}>
              {name}
            </option>
          ))}
        </select>
        <Icon name="chevron-down" />
      </span>
      <input
        type="hidden"
        name={beganAs('leadStageColumnId')}
        value={lead.leadStageColumnId ?? ''}
      />
      <button class="button">Move</button>
    </div>
  </form>
);

/** What the refusal of a button of the page says; those of forms stand in their forms. */
export const RefusedAct = ({ lead: { id, stages, status } }: { lead: LeadRecord }) => {
  const { refused } = useFrame().visit;
  if (!refused) return null;
  // Without its dialog a refused hire, or a decision on what is hired by now, is said here.
  const decided = [
    ...(status === 'ACTIVE' ? [] : ['hire']),
    ...(status === 'HIRED' ? ['not-hired'] : []),
  ];
  const acts = ['status', 'delete', 'undo-hire', ...decided].map((one) => `/leads/${id}/${one}`);
  const isMove = refused.action === `/leads/${id}` && refused.fields.has('leadStageColumnId');
  if (!isMove && !acts.includes(refused.action)) return null;
  const now = refused.refusal.faults.find(({ now }) => now !== undefined)?.now;
  const stage = now && stages.find((one) => one.id === now)?.name;
  return (
    <div class="banner danger" role="alert" tabIndex={-1} data-focus>
      <Icon name="circle-alert" />
      <div>
        <h2>This could not be done</h2>
        <p>
          {stage
            ? `Somebody else moved this lead to ${stage} in the meantime. Choose a stage again to move it.`
            : refused.refusal.message}
        </p>
      </div>
    </div>
  );
};
