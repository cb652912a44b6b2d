/** @jsxImportSource preact */
import type { ContactFull } from '../../contacts/wire.ts';
import type { LeadRecord } from '../../leads/record.ts';
import { AsksDelete, OpensDelete } from '../asks.tsx';
import { CallAndEmail } from '../contacts/reach.tsx';
import { Opens } from '../dialog.tsx';
import { Act } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { MoreActions } from '../menus.tsx';
import { MomentSaid } from '../moments.tsx';
import { Crumbs, Title } from '../page-parts.tsx';
import { rememberedByAddress } from '../remembered.ts';
import { AppliesList } from '../tasks/rows.tsx';
import { durationWords, statusNames } from './words.tsx';

const statusTones: Record<LeadRecord['status'], string> = {
  ACTIVE: 'accent',
  DRAFT: '',
  HIRED: 'ok',
  NOT_HIRED: 'warn',
  ARCHIVE: '',
};

type Rights = { write: boolean; hire: boolean };

/** The head of a lead's page: its status, and what can be done with it. */
export const Head = ({
  lead,
  contact,
  rights,
}: {
  lead: LeadRecord;
  /** Its contact, if the reader may see contacts. */
  contact: ContactFull | undefined;
  rights: Rights;
}) => (
  <>
    <Crumbs path="/leads" name="Leads" here={lead.publicId} />
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
    {contact && <CallAndEmail contact={contact} />}
    {rights.write && <AskDelete id={lead.id} number={lead.publicId} />}
  </>
);

const AskDelete = rememberedByAddress(({ id, number }: { id: string; number: string }) => (
  <AsksDelete list="leads" id={id} name={number}>
    <p>The lead leaves the board, the lists and the search. Its contact stays.</p>
  </AsksDelete>
));

/** A moment: within the last day as time ago, otherwise as a day. */
const Ago = ({ at }: { at: Date }) => {
  const { now } = useFrame();
  if (now.getTime() - at.getTime() > 86_400_000) return <MomentSaid at={at} />;
  return <time dateTime={at.toISOString()}>{durationWords(at, now)} ago</time>;
};

const Actions = ({ lead, mayHire }: { lead: LeadRecord; mayHire: boolean }) => {
  const { status } = lead;
  const action = `/leads/${lead.id}`;
  const isOpen = status === 'ACTIVE';
  return (
    <div class="row acts">
      {isOpen && mayHire && lead.contact && (
        <Opens dialog="hire" class="button primary" letter="h">
          <Icon name="check" />
          Hire
        </Opens>
      )}
      {!isOpen && status !== 'HIRED' && (
        <Act action={`${action}/status`} fields={{ status: 'ACTIVE' }} class="button primary">
          Reopen
        </Act>
      )}
      {status !== 'HIRED' && status !== 'NOT_HIRED' && <Opens dialog="not-hired">Not hired</Opens>}
      <MoreActions>
        {status !== 'HIRED' && status !== 'ARCHIVE' && (
          <Act action={`${action}/status`} fields={{ status: 'ARCHIVE' }} class="item">
            <Icon name="archive" />
            Archive
          </Act>
        )}
        {status !== 'HIRED' && status !== 'DRAFT' && (
          <Act action={`${action}/status`} fields={{ status: 'DRAFT' }} class="item">
            <Icon name="file-text" />
            Move to drafts
          </Act>
        )}
        {status !== 'HIRED' && status !== 'ARCHIVE' && (
          <AppliesList of={{ about: 'lead', id: lead.id }} class="item" />
        )}
        <OpensDelete />
      </MoreActions>
    </div>
  );
};
