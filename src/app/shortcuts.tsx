/** @jsxImportSource preact */
import { Dialog } from './dialog.tsx';
import { keys } from './keys.ts';
import { rendersOnce } from './markup.ts';

const KeysTable = rendersOnce(() => (
  <table class="table keys-table">
    <caption class="hide">Keys and what they do</caption>
    <tbody>
      {keys.map(({ pressed, words }) => (
        <tr>
          <th scope="row">
            {pressed.map((key) => (
              <kbd>{key}</kbd>
            ))}
          </th>
          <td>{words}</td>
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
