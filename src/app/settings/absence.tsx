/** @jsxImportSource preact */
import type { Absence } from '../../firm/absence.ts';
import type { listMembers } from '../../firm/member.ts';
import { changeAbsence } from '../../limitation/absence.ts';
import { peopleOptions } from '../away.ts';
import type { Fields } from '../fields.ts';
import { Choice, Day, Form, type Option } from '../form.tsx';
import type { WritingIn } from '../moments.tsx';
import { Panel } from '../page-parts.tsx';
import { form, type ShownPage, type Visit } from '../visit.ts';

type Props = { action: string; absence: Absence; others: readonly Option[] };

/** When a member is away, and who stands in. */
export const AbsencePanel = ({ action, absence, others }: Props) => (
  <Panel id="absence" title="Absence and deputy">
    <div class="body">
      <Form action={action} save="Save" isOneOfSeveral>
        <p class="muted">
          On the days away, the deputy also gets the notices of limitation dates, tasks, events,
          leads and matters. On other days, the deputy is the first to be told of a date that nobody
          has acknowledged.
        </p>
        <Choice
          name="deputyId"
          label="Deputy"
          value={absence.deputyId}
          options={others}
          none="Nobody"
        />
        <Day
          name="awayFrom"
          label="Away from"
          ask="Enter the first day away."
          value={absence.awayFrom}
        />
        <Day
          name="awayUntil"
          label="Until"
          ask="Enter the last day away."
          value={absence.awayUntil}
          hint="The last day away."
        />
      </Form>
    </div>
  </Panel>
);

type Members = Awaited<ReturnType<typeof listMembers>>;

/** Who can stand in for a member. */
export const othersThan = (id: string, members: Members, as: WritingIn): Option[] =>
  peopleOptions(
    members.filter((one) => one.id !== id && !one.deactivatedAt),
    as,
  );

const absenceIn = (fields: Fields): Absence => ({
  awayFrom: fields.text('awayFrom') || null,
  awayUntil: fields.text('awayUntil') || null,
  deputyId: fields.text('deputyId') || null,
});

/** The form of a member's own absence. */
export const ownAbsence = (again: ShownPage<'/settings/me'>) =>
  form(
    '/settings/me/absence',
    'member',
    async ({ actor, session }, fields) => {
      await changeAbsence(actor, session.member.id, absenceIn(fields));
      return '/settings/me?saved=absence#absence';
    },
    again,
    { said: 'Your absence and deputy are changed.' },
  );

/** The form of another member's absence, for owners. */
export const absenceOfMember = (again: ShownPage<'/settings/members/:id'>) =>
  form(
    '/settings/members/:id/absence',
    'owner',
    async ({ actor, parameters }: Visit<'/settings/members/:id/absence'>, fields) => {
      await changeAbsence(actor, parameters.id, absenceIn(fields));
      return `/settings/members/${parameters.id}`;
    },
    again,
    { said: 'The absence and the deputy of {title} are changed.' },
  );
