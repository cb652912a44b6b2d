/** @jsxImportSource preact */

import type { MatterRecord } from '../../matters/record.ts';
import { type Pickable, peopleOptions } from '../away.ts';
import { Dialog, OpensChange } from '../dialog.tsx';
import { type Fields, originalName } from '../fields.ts';
import { Form } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Island } from '../island.tsx';
import { optionsFrom } from '../list.tsx';
import { Panel } from '../page-parts.tsx';
import { Avatar } from '../words.tsx';
import { roleNames } from './fields.tsx';
import { type TeamRow, TeamRows } from './team-rows.tsx';

type TeamProps = {
  matter: MatterRecord;
  /** Members who may be on it: active ones, and those who are on it already. */
  members: readonly Pickable[];
  mayWrite: boolean;
};

export const Team = ({ matter, members, mayWrite }: TeamProps) => (
  <div role="group" aria-label="Team">
    <Panel
      id="team"
      title="Team"
      action={mayWrite && <OpensChange dialog="change-team" of="team" />}
    >
      {matter.team.length === 0 && <p class="body muted">Nobody yet.</p>}
      <ul class="rows">
        {matter.team.map(({ name, role, allocation }) => (
          <li>
            <Avatar name={name} plain />
            <div class="grow">
              <span class="person">{name}</span>
              <div class="sub">{roleNames[role]}</div>
            </div>
            {allocation > 0 && <span class="muted">{allocation} %</span>}
          </li>
        ))}
      </ul>
    </Panel>
    {mayWrite && <ChangeTeam matter={matter} members={members} />}
  </div>
);

const ChangeTeam = ({ matter, members }: Omit<TeamProps, 'mayWrite'>) => {
  const action = `/matters/${matter.id}/team`;
  const { refused } = useFrame().visit;
  const sent = refused?.action === action ? refused : undefined;
  const now = sent?.refusal.faults.find(({ field }) => field === 'team')?.now;
  const rows = matter.team.map(({ memberId, role, allocation }) => ({
    memberId,
    role,
    allocation: allocation === 0 ? '' : String(allocation),
  }));
  return (
    <Dialog id="change-team" title="Team">
      <Form action={action} save="Save team">
        {now !== undefined && (
          <div class="theirs">
            <p>
              The team is now <b>{matter.team.map(({ name }) => name).join(', ') || 'nobody'}</b>.
              Your choice is below: save again to use it.
            </p>
          </div>
        )}
        <input
          type="hidden"
          name={originalName('team')}
          value={now ?? sent?.fields.raw(originalName('team')) ?? teamText(matter.team)}
        />
        <TeamFields rows={rows} members={members} />
      </Form>
    </Dialog>
  );
};

type Entry = { memberId: string; role?: string; allocation?: number | string };

/** The team as one text, so that two edits can be compared. */
export const teamText = (team: readonly Entry[]) =>
  team
    .map(({ memberId, role = '', allocation = 0 }) => `${memberId} ${role} ${allocation}`)
    .join('\n');

const fewestRows = 2;

type TeamFieldsProps = {
  /** The members that are shown if nothing was sent. */
  rows: readonly TeamRow[];
  members: readonly Pickable[];
};

/** Who works on a matter. After a refusal, the form shows what it sent. */
export const TeamFields = ({ rows: usual, members }: TeamFieldsProps) => {
  const frame = useFrame();
  const { refused } = frame.visit;
  const isSent = refused?.fields.has('team[0].memberId') === true;
  const rows = isSent ? rowsIn(refused.fields) : usual;
  const blank: TeamRow = { memberId: '', role: 'RESPONSIBLE_STAFF', allocation: '' };
  const filled = [
    ...rows,
    ...Array.from({ length: Math.max(0, fewestRows - rows.length) }, () => blank),
  ];
  return (
    <Island
      name="team"
      of={TeamRows}
      props={{
        rows: filled,
        members: peopleOptions(members, frame),
        roles: optionsFrom(roleNames),
      }}
    />
  );
};

/** The rows of the team in a form, in order. A row without a member is left out. */
const rowsIn = (fields: Fields): TeamRow[] =>
  fields.names
    .flatMap((name) => /^team\[(\d{1,3})\]\.memberId$/.exec(name)?.[1] ?? [])
    .map((at) => ({
      memberId: fields.text(`team[${at}].memberId`) ?? '',
      role: fields.text(`team[${at}].role`) ?? '',
      allocation: fields.text(`team[${at}].allocation`) ?? '',
    }))
    .filter(({ memberId }) => memberId !== '');

/** A share as typed: a number, with or without a percent sign. */
const shareIn = (text: string): number | string =>
  /^\d+(\.\d+)?\s*%?$/.test(text) ? Number.parseFloat(text) : text;

/** The team that a form sent, as the shapes have it. */
export const teamIn = (fields: Fields) =>
  rowsIn(fields).map(({ memberId, role, allocation }) => ({
    memberId,
    role,
    ...(allocation && { allocation: shareIn(allocation) }),
  }));
