/** @jsxImportSource preact */
import type { Formats } from '../../firm/table.ts';
import { formatChoices } from '../../firm/table.ts';
import type { Fields } from '../fields.ts';
import { Choice, Form } from '../form.tsx';
import { Panel } from '../page-parts.tsx';

type Names = { [Name in keyof Formats]: { label: string; of: Record<Formats[Name], string> } };

const names: Names = {
  dayOrder: {
    label: 'Date format',
    of: { DMY: '15 Dec 2026', MDY: 'Dec 15, 2026', YMD: '2026-12-15' },
  },
  clock: { label: 'Clock', of: { '24': '24 hours: 14:30', '12': '12 hours: 2:30 PM' } },
  weekStart: {
    label: 'First day of the week',
    of: { MONDAY: 'Monday', SUNDAY: 'Sunday', SATURDAY: 'Saturday' },
  },
};

const all = Object.keys(formatChoices) as (keyof Formats)[];

type Props = {
  action: string;
  chosen: Partial<Formats>;
  /** What the firm has chosen, for a member who may follow it. */
  firm?: Formats;
};

/** How days and times are written: for the whole firm, or for one member. */
export const FormatsPanel = ({ action, chosen, firm }: Props) => (
  <Panel id="formats" title="Dates and times">
    <div class="body">
      <Form action={action} save="Save" isOneOfSeveral>
        {all.map((name) => {
          const words: Record<string, string> = names[name].of;
          const none = firm && { none: `Same as the firm (${words[firm[name]]})` };
          return (
            <Choice
              name={name}
              label={names[name].label}
              value={chosen[name]}
              options={formatChoices[name].map((value) => ({ value, name: words[value] ?? value }))}
              {...none}
            />
          );
        })}
      </Form>
    </div>
  </Panel>
);

/** What a form of formats sent, and what it holds now. */
export const formatsIn = (fields: Fields): Record<string, string> =>
  Object.fromEntries(all.map((name) => [name, fields.text(name) ?? '']));

export const textsOfFormats = (chosen: Partial<Formats>): Record<string, string> =>
  Object.fromEntries(all.map((name) => [name, chosen[name] ?? '']));
