/** @jsxImportSource preact */

import { type Pickable, peopleOptions } from '../away.ts';
import type { Fields } from '../fields.ts';
import { useFrame } from '../frame.tsx';
import { Island } from '../island.tsx';
import { optionsFrom } from '../list.tsx';
import { type TeamRow, TeamRows } from './team-rows.tsx';
import { roleNames } from './words.ts';

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
