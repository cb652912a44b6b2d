/** @jsxImportSource preact */
import type { LeadRecord } from '../../leads/record.ts';
import { Dialog, Opens } from '../dialog.tsx';
import { Act } from '../form.tsx';
import { Icon } from '../icon.tsx';
import { Moment } from '../moments.tsx';

/** How the lead was decided, and what can still be changed. */
export const Outcome = ({
  lead,
  mayUndo,
  whyNot,
  mayRead,
}: {
  lead: LeadRecord;
  mayUndo: boolean;
  whyNot: string | undefined;
  mayRead: boolean;
}) => {
  const at = lead.decidedAt?.toISOString();
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
          {at && (
            <>
              {' '}
              · <Moment at={at} />
            </>
          )}
        </p>
      </div>
    );
  }
  if (lead.status !== 'HIRED') return null;
  const { matter } = lead;
  return (
    <div class="banner ok outcome">
      <Icon name="circle-check" />
      <div>
        <p>
          Hired
          {matter && mayRead && (
            <>
              {' '}
              as matter <a href={`/matters/${matter.id}`}>{matter.number}</a>
            </>
          )}
          {at && (
            <>
              {' '}
              · <Moment at={at} />
            </>
          )}
        </p>
        {mayUndo &&
          (whyNot ? (
            <p class="muted">{whyNot}</p>
          ) : (
            <div class="row">
              <Opens dialog="undo-hire">Undo hire</Opens>
              <span class="muted">Possible for 24 hours.</span>
            </div>
          ))}
        {mayUndo && !whyNot && <AskUndoHire lead={lead} />}
      </div>
    </div>
  );
};

/** Asks before the matter of a hire is deleted. */
const AskUndoHire = ({ lead: { id, matter } }: { lead: LeadRecord }) => (
  <Dialog id="undo-hire" title="Undo the hire?" look="slim">
    <p>The lead is active again. Matter {matter?.number} is deleted, and its team is told.</p>
    <div class="row end after">
      <Act action={`/leads/${id}/undo-hire`} look="button primary">
        Undo hire
      </Act>
    </div>
  </Dialog>
);
