import { isOfDeputy } from './deputy.ts';
import type { Notice } from './notification.ts';

type Pointing = Pick<Notice, 'kind' | 'recordId' | 'title'>;

/** Where in the application a notice leads: to its record, or to a list. */
export const targetOf = ({ kind, recordId, title }: Pointing): string => {
  if (kind === 'lead.burst') return '/leads?view=list';
  if (kind === 'lead.assigned' && recordId === null)
    return isOfDeputy(title)
      ? '/leads?view=list&sort=-waiting'
      : '/leads?view=list&assignee=me&sort=-waiting';
  if (kind === 'lead.unheld' && recordId === null)
    return '/leads?view=list&status=ALL&next=overdue&sort=next';
  if (kind === 'matter.added' && recordId === null)
    return isOfDeputy(title) ? '/matters?view=list' : '/matters?view=list&member=me';
  if (kind === 'matter.archived' && recordId === null)
    return '/matters?view=list&status=ARCHIVE&member=me';
  if (kind === 'account.warned') return '/settings/me#sessions';
  if (kind === 'mail.refused') return recordId ? `/settings/members/${recordId}` : '/settings/mail';
  if (kind === 'webhook.paused') return `/settings/webhooks/${recordId}`;
  if (kind === 'limitation.unheld' && recordId === null) return '/reports/limitation-dates';
  if (kind.startsWith('task.') && recordId === null) return '/tasks';
  if (kind.startsWith('event.') && recordId === null) return '/calendar';
  if (recordId === null) return '/inbox';
  if (kind.startsWith('lead.')) return `/leads/${recordId}`;
  if (kind === 'matter.deleted') return '/matters';
  if (kind.startsWith('task.')) return `/tasks/${recordId}`;
  if (kind === 'event.invited' || kind === 'event.unheld') return `/calendar/${recordId}`;
  return kind.startsWith('event.') ? '/calendar' : `/matters/${recordId}`;
};
