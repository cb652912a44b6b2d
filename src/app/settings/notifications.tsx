/** @jsxImportSource preact */
import {
  chooseNotifications,
  chooseWays,
  type SwitchableKind,
  switchableKinds,
  type Way,
  wayOf,
} from '../../notifications/ways.ts';
import { Check } from '../choices.tsx';
import type { Fields } from '../fields.ts';
import { Choice, Form } from '../form.tsx';
import { Panel } from '../page-parts.tsx';
import type { Visit } from '../visit.ts';

const switchNames: Record<SwitchableKind, { name: string; text: string }> = {
  'lead.new': {
    name: 'New lead created',
    text: 'One minute after a lead arrives through the API. Many leads come as one notice.',
  },
  'lead.assigned': { name: 'Lead assigned to you', text: 'When a colleague gives you a lead.' },
  'lead.due': {
    name: 'Next step of a lead due',
    text: 'At its time, or at 7:00 of its day. For leads that are assigned to you.',
  },
  'matter.added': { name: 'Added to a matter', text: 'When you join the team of a matter.' },
  'matter.archived': { name: 'Matter archived', text: 'For matters whose team you are on.' },
  'matter.deleted': { name: 'Matter deleted', text: 'For matters whose team you are on.' },
  'limitation.near': {
    name: 'Limitation date near',
    text: 'On the days that the firm has set under Reminders, until somebody marks the date as met. If nobody presses “I have it”, others are told, and then the owners.',
  },
  'task.assigned': { name: 'Task assigned to you', text: 'When a colleague gives you a task.' },
  'event.invited': { name: 'Invited to an event', text: 'When a colleague invites you.' },
  'event.cancelled': { name: 'Event cancelled', text: 'For events that you are invited to.' },
};

const wayNames: { value: Way; name: string }[] = [
  { value: 'off', name: 'Off' },
  { value: 'inbox', name: 'Inbox' },
  { value: 'digest', name: 'Inbox, and the mail of the next morning' },
  { value: 'mail', name: 'Inbox, and a mail at once' },
];

type Choosing = {
  member: Parameters<typeof wayOf>[0];
  /** Whether mail is set up. Without it, each kind is on or off. */
  hasMail: boolean;
};

/** How the member is told of each kind of notification. */
export const NotificationChoices = ({ member, hasMail }: Choosing) => (
  <Panel id="notifications" title="Notifications">
    <div class="body">
      <Form action="/settings/me/notifications" save="Save" isOneOfSeveral>
        {switchableKinds.map((kind) => {
          const { name, text } = switchNames[kind];
          return hasMail ? (
            <Choice
              name={fieldOf(kind)}
              label={name}
              hint={text}
              value={wayOf(member, kind)}
              options={wayNames}
            />
          ) : (
            <Check
              name="kinds"
              value={kind}
              label={name}
              hint={text}
              checked={!member.mutedKinds.includes(kind)}
            />
          );
        })}
        {hasMail && (
          <p class="muted">
            Morning mails come at 7:00 from Monday to Friday. Two kinds of notice always come by
            mail: changes to how you sign in, and limitation dates that nobody has acknowledged.
          </p>
        )}
      </Form>
    </div>
  </Panel>
);

const fieldOf = (kind: string) => `ways.${kind}`;

/** Stores what the member chose, in either form. */
export const changeNotifications = async ({ actor, session }: Visit, fields: Fields) => {
  const chosen = Object.fromEntries(
    switchableKinds.flatMap((kind) => {
      const way = fields.text(fieldOf(kind));
      return way === undefined ? [] : [[kind, way]];
    }),
  );
  if (Object.keys(chosen).length > 0) await chooseWays(actor, session.member.id, chosen);
  else await chooseNotifications(actor, fields.all('kinds'));
  return '/settings/me?saved=notifications#notifications';
};
