/** @jsxImportSource preact */
import { Dialog } from './dialog.tsx';
import { useFrame } from './frame.tsx';
import { keys } from './keys.ts';
import { rendersOnce } from './markup.ts';
import type { Visit } from './visit.ts';

type Keys = typeof keys;

const tableOf = (shown: Keys) =>
  rendersOnce(() => (
    <table class="table keys-table">
      <caption class="hide">Keyboard shortcuts</caption>
      <tbody>
        {shown.map(({ pressed, words }) => (
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

const tables = new Map<string, ReturnType<typeof tableOf>>();

/** The keys that do something for the member: each such list is rendered once. */
const KeysTable = () => {
  const { visit, admits } = useFrame();
  // A page that a role does not include is drawn for a visit that says nothing of the role.
  const { session } = visit as Visit;
  const shown = keys.filter(
    ({ path, needs }) =>
      (path === undefined || admits(path)) && (needs?.every((one) => session.may(one)) ?? true),
  );
  const named = shown.map(({ words }) => words).join();
  const Table = tables.get(named) ?? tableOf(shown);
  tables.set(named, Table);
  return <Table />;
};

/** The list of keys that `?` opens, on every page. */
export const KeysHelp = () => (
  <Dialog id="keys" title="Keyboard shortcuts">
    <KeysTable />
    <p class="muted">
      If you dictate, switch single letters off under <a href="/settings/me">My settings</a>.
    </p>
  </Dialog>
);
