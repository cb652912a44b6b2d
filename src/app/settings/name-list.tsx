/** @jsxImportSource preact */
import { Form, Text } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { Panel } from '../list.tsx';
import { SaveOrUndo } from '../values.tsx';
import { SettingsAct } from './sections.tsx';

type Named = { id: string; name: string };

/**
 * A list of names in an order: add, rename, move, remove. Its forms go to `action` (add), to
 * `action/ID` (rename), `action/ID/move` (`by`: `up` or `down`) and `action/ID/remove`.
 */
export const NameList = ({
  id,
  title,
  says,
  noun,
  action,
  names,
  isFree = false,
}: {
  id: string;
  title: string;
  says: string;
  /** The word for one entry: `stage`. */
  noun: string;
  action: string;
  names: readonly Named[];
  /** The list has no order, so nothing can be moved. */
  isFree?: boolean;
}) => (
  <Panel id={id} title={title}>
    <div class="body">
      <p class="muted">{says}</p>
    </div>
    <ul class="rows">
      {names.map((one, at) => (
        <li>
          <Rename one={one} action={`${action}/${one.id}`} />
          {!isFree && <Moves one={one} action={action} at={at} of={names.length} />}
          <SettingsAct
            action={`${action}/${one.id}/remove`}
            look="button quiet icon-only"
            label={`Remove ${one.name}`}
          >
            <Icon name="trash-2" />
          </SettingsAct>
        </li>
      ))}
    </ul>
    <div class="body">
      <Form action={action} within={id} save={`Add ${noun}`}>
        <Text name="name" label={`New ${noun}`} required />
      </Form>
    </div>
  </Panel>
);

/** A name that is edited in place. */
export const Rename = ({ one, action }: { one: Named; action: string }) => {
  const { refused } = useFrame().visit;
  return (
    <div class="grow">
      <details class="edit" open={refused?.action === action}>
        <summary class="value">
          <span class="hide">Rename </span>
          {one.name}
          <Icon name="pencil" />
        </summary>
        <Form action={action} look="in-place" within={one.id}>
          <Text name="name" label={`Name of ${one.name}`} value={one.name} required />
          <SaveOrUndo />
        </Form>
      </details>
    </div>
  );
};

/** The two buttons that move an entry. The first cannot go up, the last cannot go down. */
export const Moves = (props: { one: Named; action: string; at: number; of: number }) => {
  const { one, action, at, of } = props;
  return (
    <>
      <Move one={one} action={action} way="up" isEnd={at === 0} />
      <Move one={one} action={action} way="down" isEnd={at === of - 1} />
    </>
  );
};

type MoveProps = { one: Named; action: string; way: 'up' | 'down'; isEnd: boolean };

const Move = ({ one, action, way, isEnd }: MoveProps) =>
  isEnd ? (
    <span class="button quiet icon-only" aria-hidden="true" />
  ) : (
    <SettingsAct
      action={`${action}/${one.id}/move`}
      fields={{ by: way }}
      look="button quiet icon-only"
      label={`Move ${one.name} ${way}`}
    >
      <Icon name={way === 'up' ? 'arrow-up' : 'arrow-down'} />
    </SettingsAct>
  );
