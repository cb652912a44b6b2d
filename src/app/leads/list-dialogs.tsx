/** @jsxImportSource preact */
import { Dialog } from '../dialog.tsx';
import { Act, Check, Form, type Option, Text } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { columnsIn, leadColumns } from './columns.tsx';
import { type AboveList, labelsOf, type Offered, wordsOf } from './offered.ts';

/** Parts of the address that a form does not set, so that they stay. */
const Hidden = ({ except }: { except: (name: string) => boolean }) => {
  const { visit } = useFrame();
  return (
    <>
      {[...visit.query].map(
        ([name, value]) => !except(name) && <input type="hidden" name={name} value={value} />,
      )}
    </>
  );
};

const isLeftOut = (name: string) => name === 'do' || name === 'page';

/** Days, reasons and the firm's own fields. */
export const MoreFilters = ({ offered }: { offered: Offered }) => {
  const isHere = (name: string) => isLeftOut(name) || name in wordsOf || name.startsWith('field.');
  return (
    <Dialog id="filters" title="More filters" look="slim">
      <form class="form" method="get" action="/leads">
        <Hidden except={isHere} />
        <Pair of="Created" names={['from', 'to']} />
        <Pair of="Decided" names={['decidedFrom', 'decidedTo']} />
        <Entry name="waiting" label="Waiting at least (days)" type="number" />
        <Pick name="reason" label="Not hired because" options={offered.reasons} />
        <Pick name="reached" label="Reached the stage" options={offered.stages} />
        {offered.fields.map((field) =>
          field.type === 'DATE' ? (
            <Pair of={field.name} names={[`field.${field.id}.from`, `field.${field.id}.to`]} />
          ) : (
            <Pick name={`field.${field.id}`} label={field.name} options={labelsOf(field)} />
          ),
        )}
        <div class="row end">
          <button class="button primary">Show</button>
        </div>
      </form>
    </Dialog>
  );
};

const Pair = ({ of, names: [from, to] }: { of: string; names: [string, string] }) => (
  <div class="pair">
    <Entry name={from} label={`${of} from`} type="date" />
    <Entry name={to} label={`${of} to`} type="date" />
  </div>
);

const Entry = ({ name, label, type }: { name: string; label: string; type: 'date' | 'number' }) => {
  const { visit } = useFrame();
  return (
    <div class="field">
      <label for={`by-${name}`}>{label}</label>
      <input
        class="input"
        id={`by-${name}`}
        name={name}
        type={type}
        min={type === 'number' ? 1 : undefined}
        value={visit.query.get(name) ?? ''}
      />
    </div>
  );
};

const Pick = ({ name, label, options }: { name: string; label: string; options: Option[] }) => {
  const { visit } = useFrame();
  return (
    <div class="field">
      <label for={`by-${name}`}>{label}</label>
      <span class="select">
        <select class="input" id={`by-${name}`} name={name}>
          <option value="">Any</option>
          {options.map((one) => (
            <option value={one.value} selected={one.value === visit.query.get(name)}>
              {one.name}
            </option>
          ))}
        </select>
        <Icon name="chevron-down" />
      </span>
    </div>
  );
};

/** Which columns are shown. */
export const Columns = () => {
  const { visit } = useFrame();
  const shown = columnsIn(visit.query);
  return (
    <Dialog id="columns" title="Columns" look="slim">
      <form class="form" method="get" action="/leads">
        <Hidden except={(name) => isLeftOut(name) || name === 'columns'} />
        <fieldset class="checks">
          <legend class="hide">Columns beside the name</legend>
          {leadColumns.slice(1).map((column) => (
            <Check
              name="columns"
              value={column.key}
              label={column.name}
              checked={shown.includes(column)}
            />
          ))}
        </fieldset>
        <div class="row end">
          <button class="button primary">Show</button>
        </div>
      </form>
    </Dialog>
  );
};

/** The saved views, and a form to save the present one. */
export const Views = ({ views, memberId, isOwner }: AboveList) => {
  const { visit } = useFrame();
  return (
    <Dialog id="views" title="Views" look="slim">
      {views.length > 0 && (
        <ul class="rows">
          {views.map((view) => (
            <li>
              <div class="grow">
                <a class="name" href={`/leads?${view.query}`}>
                  {view.name}
                </a>
                <div class="sub">{view.isShared ? "The firm's" : 'Mine'}</div>
              </div>
              {(view.memberId === memberId || isOwner) && (
                <Act
                  action={`/leads/views/${view.id}/remove?${visit.query}`}
                  look="button quiet small icon-only"
                  label={`Remove the view ${view.name}`}
                >
                  <Icon name="trash-2" />
                </Act>
              )}
            </li>
          ))}
        </ul>
      )}
      <Form action={`/leads/views?${visit.query}`} save="Keep this view">
        <Text name="name" label="Name" required />
        <Check name="isShared" label="For the whole firm" />
      </Form>
    </Dialog>
  );
};
