/** @jsxImportSource preact */
import type { LeadRecord } from '../../leads/record.ts';
import { Asks } from '../asks.tsx';
import { Opens } from '../dialog.tsx';
import { Icon } from '../icon.tsx';
import { Moment } from '../moments.tsx';

type OutcomeProps = {
  lead: LeadRecord;
  mayUndo: boolean;
  /** Why the hire can no longer be undone. */
  whyNot: string | undefined;
  mayRead: boolean;
};

/** How the lead was decided, and what can still be changed. */
export const Outcome = ({ lead, mayUndo, whyNot, mayRead }: OutcomeProps) => {
  if (lead.contact === null) {
    return (
      <div class="banner warn">
        <Icon name="triangle-alert" />
        <p>The contact of this lead was deleted. The lead can no longer be changed.</p>
      </div>
    );
  }
  if (lead.status === 'NOT_HIRED') {
    return (
      <div class="banner warn outcome">
        <Icon name="ban" />
        <p>
          Not hired: <b>{lead.reason ?? 'no reason given'}</b>
          <DecidedAt lead={lead} />
        </p>
      </div>
    );
  }
  if (lead.status !== 'HIRED') return null;
  return <Hired lead={lead} mayUndo={mayUndo} whyNot={whyNot} mayRead={mayRead} />;
};

const Hired = ({ lead, mayUndo, whyNot, mayRead }: OutcomeProps) => (
  <div class="banner ok outcome">
    <Icon name="circle-check" />
    <div>
      <p>
        Hired
        {lead.matter && mayRead && (
          <>
            {' '}
            as matter <a href={`/matters/${lead.matter.id}`}>{lead.matter.number}</a>
          </>
        )}
        <DecidedAt lead={lead} />
      </p>
      {mayUndo && whyNot && <p class="muted">{whyNot}</p>}
      {mayUndo && !whyNot && (
        <>
          <div class="row">
            <Opens dialog="undo-hire">Undo hire</Opens>
            <span class="muted">Possible for 24 hours.</span>
          </div>
          <AskUndoHire lead={lead} />
        </>
      )}
    </div>
  </div>
);

const DecidedAt = ({ lead: { decidedAt } }: { lead: LeadRecord }) =>
  decidedAt && (
    <>
      {' '}
      · <Moment at={decidedAt.toISOString()} />
    </>
  );

/** Asks before the matter of a hire is deleted. */
const AskUndoHire = ({ lead: { id, matter } }: { lead: LeadRecord }) => (
  <Asks id="undo-hire" title="Undo the hire?" action={`/leads/${id}/undo-hire`} verb="Undo hire">
    <p>
      The lead becomes active again. Matter {matter?.number} will be deleted, and its team will be
      told.
    </p>
  </Asks>
);
