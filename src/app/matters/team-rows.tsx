/** @jsxImportSource preact */
import { useState } from 'preact/hooks';

const paths = {
  'chevron-down': 'm6 9 6 6 6-6',
  plus: 'M5 12h14M12 5v14',
  x: 'M18 6 6 18M6 6l12 12',
};

/** Lucide's icons for islands, which cannot import `icon.tsx`. */
const Mark = ({ name }: { name: keyof typeof paths }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
);

export type TeamRow = { memberId: string; role: string; allocation: string };

type Option = { value: string; name: string };

type TeamProps = {
  rows: TeamRow[];
  members: Option[];
  roles: Option[];
};

/** The team of a matter: member, role and share of the work. Rows without a member are left out. */
export const TeamRows = ({ rows: given, members, roles }: TeamProps) => {
  const [rows, setRows] = useState(given.map((row, key) => ({ ...row, key })));
  const add = () =>
    setRows([
      ...rows,
      {
        memberId: '',
        role: 'RESPONSIBLE_STAFF',
        allocation: '',
        key: Math.max(0, ...rows.map(({ key }) => key)) + 1,
      },
    ]);
  return (
    <>
      <div class="team">
        {rows.map(({ key, memberId, role, allocation }, at) => (
          <div key={key}>
            <Select
              name={`team[${at}].memberId`}
              label={`Member ${at + 1}`}
              value={memberId}
              options={[{ value: '', name: 'Nobody' }, ...members]}
            />
            <Select
              name={`team[${at}].role`}
              label={`Role of member ${at + 1}`}
              value={role}
              options={roles}
            />
            <span class="percent">
              <input
                class="input"
                name={`team[${at}].allocation`}
                defaultValue={allocation}
                inputMode="decimal"
                autocomplete="off"
                aria-label={`Share of member ${at + 1}, per cent`}
              />
            </span>
            <button
              class="button quiet icon-only only-scripted"
              type="button"
              aria-label={`Remove member ${at + 1}`}
              onClick={() => setRows(rows.filter((row) => row.key !== key))}
            >
              <Mark name="x" />
            </button>
          </div>
        ))}
      </div>
      {rows.length < 50 && (
        <button class="button quiet only-scripted" type="button" onClick={add}>
          <Mark name="plus" />
          Add a member
        </button>
      )}
    </>
  );
};

type SelectProps = { name: string; label: string; value: string; options: Option[] };

const Select = ({ name, label, value: chosen, options }: SelectProps) => (
  <span class="select">
    <select class="input" name={name} aria-label={label}>
      {options.map(({ value, name }) => (
        <option key={value} value={value} selected={value === chosen}>
          {name}
        </option>
      ))}
    </select>
    <Mark name="chevron-down" />
  </span>
);
