/** @jsxImportSource preact */
import { eventTypes } from '../../contents.ts';
import { listDeliveries, testEndpoint, testType } from '../../webhooks/deliveries.ts';
import {
  createEndpoint,
  listEndpoints,
  pauseEndpoint,
  readEndpoint,
  removeEndpoint,
  resumeEndpoint,
  rotateEndpoint,
  type Webhooks,
} from '../../webhooks/endpoint.ts';
import type { Failure, PauseReason } from '../../webhooks/table.ts';
import { webhooksOf } from '../../webhooks/webhooks.ts';
import type { DeliveryRow, EndpointFull, EndpointRow } from '../../webhooks/wire.ts';
import { limits } from '../../webhooks/wire.ts';
import { Check, Checks } from '../choices.tsx';
import { Dialog, Opens } from '../dialog.tsx';
import type { Fields } from '../fields.ts';
import { Act, Form, Text } from '../form.tsx';
import { Icon } from '../icon.tsx';
import { addressWith, Empty, Panel } from '../list.tsx';
import { Moment } from '../moments.tsx';
import { Table } from '../table.tsx';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { showOnce } from './secret.tsx';
import { settingsPage } from './sections.tsx';

const path = '/settings/webhooks';
const may = 'keys:write';

const webhooksFor = ({ settings, installation }: Visit): Webhooks =>
  webhooksOf(eventTypes, settings, {
    keyOf: () => installation.key,
    ownPorts: installation.ownPorts,
  });

const nameOf = ({ description, url }: EndpointRow) => description ?? new URL(url).host;

const showEndpoints = async ({ actor, session }: Visit): Promise<Shown> => {
  const { rows } = await listEndpoints(actor, { limit: limits.ofFirm, offset: 0 });
  return settingsPage({
    title: 'Webhooks',
    intro: 'They tell other programs what changed, in order, and try again for three days.',
    action: (
      <Opens dialog="new-webhook">
        <Icon name="plus" />
        New webhook
      </Opens>
    ),
    main: (
      <>
        <NewEndpoint />
        {rows.length === 0 ? (
          <Empty text="There are no webhooks yet. A webhook tells a program at its own address what happens here." />
        ) : (
          <Endpoints rows={rows} own={session.member.id} />
        )}
      </>
    ),
  });
};

const NewEndpoint = () => (
  <Dialog id="new-webhook" title="New webhook">
    <Form action={path} save="Create webhook" whole>
      <Text
        name="url"
        label="Address"
        hint="It begins with https:// and is on the open internet."
        required
        first
      />
      <Text name="description" label="Name" hint="The program behind it, for example Accounting." />
      <Checks name="types" label="What it hears of">
        <Check name="types" value="*" label="Everything that you may see" checked />
        <details>
          <summary>Or only some of it: then untick the box above</summary>
          <div class="pair of-two">
            {eventTypes.known.map((type) => (
              <Check name="types" value={type} label={type} />
            ))}
          </div>
        </details>
      </Checks>
    </Form>
  </Dialog>
);

const Endpoints = ({ rows, own }: { rows: EndpointRow[]; own: string }) => (
  <Table
    caption="Webhooks"
    rows={rows}
    columns={[
      {
        name: 'Webhook',
        isHead: true,
        class: 'line-1',
        cell: (one) => (
          <>
            <a href={`${path}/${one.id}`}>{nameOf(one)}</a>
            <div class="small muted">
              <code>{one.url}</code>
              {one.member.id !== own && ` ${one.member.name}`}
            </div>
          </>
        ),
      },
      { name: 'Hears of', cell: ({ types }) => <Types types={types} /> },
      { name: 'State', class: 'line-2', cell: (one) => <State {...one} /> },
      { name: 'Since', class: 'nowrap line-2', cell: ({ statusAt }) => <Moment at={statusAt} /> },
    ]}
  />
);

const Types = ({ types }: { types: string[] }) => (
  <span class="scopes">
    {types.includes('*') ? (
      <span class="muted">Everything</span>
    ) : (
      types.map((type) => <code>{type}</code>)
    )}
  </span>
);

const reasons: Record<PauseReason, { name: string; class: string; text: string }> = {
  FAILING: {
    name: 'Paused: it does not answer',
    class: 'danger',
    text: 'Nothing has arrived for 24 hours. It is tried once an hour, and goes on by itself when it answers. Nothing is lost.',
  },
  MEMBER: {
    name: 'Paused: its member may not any more',
    class: 'danger',
    text: 'Its member is deactivated, or their role allows no webhooks. Nothing is lost.',
  },
  GONE: {
    name: 'Switched off by its receiver',
    class: '',
    text: 'It answered that it is gone (410). Resume it if that was wrong. Nothing is lost.',
  },
  ASKED: { name: 'Paused', class: 'warn', text: 'Somebody paused it. Nothing is lost.' },
  SECRET: {
    name: 'Paused: no secret',
    class: 'danger',
    text: 'Its secret cannot be read with the key of this server. Give it a new one, and resume it.',
  },
};

const State = ({ reason }: EndpointRow) =>
  reason ? (
    <span class={`tag ${reasons[reason].class}`}>{reasons[reason].name}</span>
  ) : (
    <span class="tag ok">Active</span>
  );

const deliveriesPerPage = 50;

const showEndpoint = async ({ actor, parameters, query, session }: Visit<'/:id'>) => {
  const { id } = parameters;
  const page = { limit: deliveriesPerPage, before: query.get('before') };
  const [one, { rows, hasMore }] = await Promise.all([
    readEndpoint(actor, id),
    listDeliveries(actor, id, page),
  ]);
  const isOwn = one.member.id === session.member.id;
  const older = hasMore
    ? addressWith(`${path}/${id}`, query, { before: rows.at(-1)?.id ?? null })
    : null;
  return settingsPage({
    title: nameOf(one),
    within: { path, name: 'Webhooks' },
    action: <Acts one={one} isOwn={isOwn} />,
    main: (
      <>
        {one.reason && (
          <p class="banner warn" role="status">
            {reasons[one.reason].text}
          </p>
        )}
        <Panel id="endpoint" title="Webhook">
          <dl class="body values">
            <div>
              <dt>Address</dt>
              <dd>
                <code>{one.url}</code>
              </dd>
            </div>
            <div>
              <dt>State</dt>
              <dd>
                <State {...one} />
              </dd>
            </div>
            <div>
              <dt>Hears of</dt>
              <dd>
                <Types types={one.types} />
              </dd>
            </div>
            <div>
              <dt>Acts as</dt>
              <dd>{one.member.name}. Only what they may see is sent.</dd>
            </div>
          </dl>
        </Panel>
        <Panel id="deliveries" title="Deliveries">
          {rows.length === 0 ? (
            <Empty text="Nothing was sent in the last 30 days." />
          ) : (
            <Deliveries rows={rows} />
          )}
        </Panel>
        {older && (
          <p>
            <a href={older}>Older deliveries</a>
          </p>
        )}
      </>
    ),
  });
};

const Acts = ({ one, isOwn }: { one: EndpointFull; isOwn: boolean }) => (
  <div class="row">
    {isOwn && (
      <Act action={`${path}/${one.id}/test`} class="button primary" label="Send a test">
        Send a test
      </Act>
    )}
    {one.status === 'ACTIVE' ? (
      <Act action={`${path}/${one.id}/pause`} class="button" label="Pause">
        Pause
      </Act>
    ) : (
      <Act action={`${path}/${one.id}/resume`} class="button" label="Resume">
        Resume
      </Act>
    )}
    {isOwn && (
      <Act action={`${path}/${one.id}/rotate`} class="button" label="Rotate secret">
        Rotate secret
      </Act>
    )}
    <Act action={`${path}/${one.id}/delete`} class="button quiet" label="Delete">
      Delete
    </Act>
  </div>
);

const failureWords: Record<Failure, string> = {
  status: 'refused',
  redirect: 'leads elsewhere, which is not followed',
  timeout: 'no answer in 15 seconds',
  unresolved: 'its name has no address',
  'refused-address': 'its address must not be sent to',
  connection: 'nothing answers',
  certificate: 'its certificate is not believed',
  aborted: 'it wants no more of this message',
};

const Deliveries = ({ rows }: { rows: DeliveryRow[] }) => (
  <Table
    caption="Deliveries, newest first"
    rows={rows}
    columns={[
      { name: 'Time', class: 'nowrap line-2', cell: ({ at }) => <Moment at={at} withTime /> },
      { name: 'Event', isHead: true, class: 'line-1', cell: ({ type }) => <code>{type}</code> },
      {
        name: 'Answer',
        class: 'line-2',
        cell: ({ answer, failure }) => (
          <span class={`tag ${failure ? 'danger' : 'ok'}`}>
            {[answer, failure && failureWords[failure]].filter(Boolean).join(', ')}
          </span>
        ),
      },
      {
        name: 'Took',
        class: 'number nowrap',
        cell: ({ milliseconds }) => `${milliseconds} ms`,
      },
      {
        name: 'Try',
        class: 'number nowrap line-2',
        cell: (one) => (
          <>
            <span class="only-narrow">Try </span>
            {one.try}
            {one.failure && one.isLast && one.type !== testType && ', given up'}
          </>
        ),
      },
    ]}
  />
);

const makeEndpoint = async (visit: Visit, fields: Fields): Promise<Shown> => {
  const types = fields.all('types');
  const made = await createEndpoint(webhooksFor(visit), visit.actor, {
    url: fields.text('url') ?? '',
    description: fields.text('description') ?? null,
    types: types.includes('*') || types.length === 0 ? ['*'] : types,
  });
  return showSecret(made);
};

const showSecret = (one: EndpointFull) =>
  showOnce({
    title: `Copy the secret of “${nameOf(one)}” now`,
    label: 'The secret',
    secret: one.secret ?? '',
    back: `${path}/${one.id}`,
    children: (
      <p>
        It is shown only now. The receiver uses it to check that a message is yours. If you lose it,
        rotate it: for 24 hours both secrets sign.
      </p>
    ),
  });

const endpointsPage = page(path, may, showEndpoints);
const endpointPage = page(`${path}/:id`, may, showEndpoint);

/** A button of an endpoint's page, which then shows it again. */
const act = (verb: string, change: (visit: Visit<'/:id'>, id: string) => Promise<unknown>) =>
  form(
    `${path}/:id/${verb}`,
    may,
    async (visit: Visit<'/:id'>) => {
      const { id } = visit.parameters;
      await change(visit, id);
      return verb === 'delete' ? path : `${path}/${id}`;
    },
    endpointPage,
    verb === 'delete' ? { proof: true } : {},
  );

export const webhookPages: Page[] = [
  endpointsPage,
  form(path, may, makeEndpoint, endpointsPage, { proof: true }),
  endpointPage,
  act('test', (visit, id) => testEndpoint(webhooksFor(visit), visit.actor, id)),
  act('pause', ({ actor }, id) => pauseEndpoint(actor, id)),
  act('resume', ({ actor }, id) => resumeEndpoint(actor, id)),
  act('delete', ({ actor }, id) => removeEndpoint(actor, id)),
  form(
    `${path}/:id/rotate`,
    may,
    async (visit: Visit<'/:id'>): Promise<Shown> =>
      showSecret(await rotateEndpoint(webhooksFor(visit), visit.actor, visit.parameters.id)),
    endpointPage,
    { proof: true },
  ),
];
