/** @jsxImportSource preact */
import { Dialog } from './dialog.tsx';
import { rendersOnce } from './markup.ts';

const keys: [keys: string[], what: string][] = [
  [['Ctrl', 'K'], 'Search, go anywhere, do anything'],
  [['?'], 'Show these keys'],
  [['N'], 'New lead'],
  [['G', 'H'], 'Go to Home'],
  [['G', 'L'], 'Go to Leads'],
  [['G', 'M'], 'Go to Matters'],
  [['G', 'C'], 'Go to Contacts'],
  [['G', 'D'], 'Go to the calendar'],
  [['G', 'T'], 'Go to Tasks'],
  [['G', 'I'], 'Go to the inbox'],
  [['↑', '↓'], 'In a list or on a board: the next row or card'],
  [['Enter'], 'Open it'],
  [['M'], 'Move it'],
  [['A'], 'Assign it: then the first letter of a name, and Enter'],
  [['E'], 'Edit it'],
  [['D'], 'On a task: done'],
  [['Esc'], 'Close, or undo an edit that is not saved'],
];

const KeysTable = rendersOnce(() => (
  <table class="table keys-table">
    <caption class="hide">Keys and what they do</caption>
    <tbody>
      {keys.map(([pressed, what]) => (
        <tr>
          <th scope="row">
            {pressed.map((key) => (
              <kbd>{key}</kbd>
            ))}
          </th>
          <td>{what}</td>
        </tr>
      ))}
    </tbody>
  </table>
));

/** The list of keys that `?` opens, on every page. */
export const KeysHelp = () => (
  <Dialog id="keys" title="Keys">
    <KeysTable />
    <p class="muted">
      Single letters can be switched off under <a href="/settings/me">My settings</a>, for those who
      dictate.
    </p>
  </Dialog>
);
