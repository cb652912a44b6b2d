/** @jsxImportSource preact */
import { chooseNotifications, switchableKinds } from '../../notifications/notification.ts';
import type { NotificationKind } from '../../notifications/table.ts';
import { Check } from '../choices.tsx';
import type { Fields } from '../fields.ts';
import { Form } from '../form.tsx';
import { Panel } from '../list.tsx';
import { form, type Page, type ShownPage, type Visit } from '../visit.ts';

const switchNames: Record<
  Exclude<NotificationKind, 'lead.burst' | 'account.warned'>,
  { name: string; text: string }
> = {
  'lead.new': {
    name: 'New lead created',
    text: 'One minute after a lead arrives through the API. Many leads come as one notice.',
  },
  'lead.assigned': { name: 'Lead assigned to you', text: 'When a colleague gives you a lead.' },
  'matter.added': { name: 'Added to a matter', text: 'When you join the team of a matter.' },
  'matter.archived': { name: 'Matter archived', text: 'For matters whose team you are on.' },
  'matter.deleted': { name: 'Matter deleted', text: 'For matters whose team you are on.' },
  'limitation.near': {
    name: 'Limitation date near',
    text: '180, 90, 60, 30, 14, 7 and 1 days before it, until somebody marks it as met.',
  },
  'task.assigned': { name: 'Task assigned to you', text: 'When a colleague gives you a task.' },
  'event.invited': { name: 'Invited to an event', text: 'When a colleague invites you.' },
  'event.cancelled': { name: 'Event cancelled', text: 'For events that you are invited to.' },
};

/** The member's switches, one for each kind of notification. */
export const NotificationSwitches = ({ muted }: { muted: string[] }) => (
  <Panel id="notifications" title="Notifications">
    <div class="body">
      <Form action="/settings/me/notifications" save="Save">
        {switchableKinds.map((kind) => {
          const { name, text } = switchNames[kind as keyof typeof switchNames];
          return (
            <Check
              name="kinds"
              value={kind}
              label={name}
              hint={text}
              checked={!muted.includes(kind)}
            />
          );
        })}
      </Form>
    </div>
  </Panel>
);

const changeNotifications = async ({ actor }: Visit, fields: Fields) => {
  await chooseNotifications(actor, fields.all('kinds'));
  return '/settings/me?saved=notifications#notifications';
};

/** The form of the switches. After a refusal, `mePage` is shown again. */
export const notificationForms = (mePage: ShownPage): Page[] => [
  form('/settings/me/notifications', 'member', changeNotifications, mePage),
];
