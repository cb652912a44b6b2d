/** @jsxImportSource preact */

import { invalidField } from '../../base/refusal.ts';
import { eventTypes } from '../../contents.ts';
import type { Reader } from '../../record/actor.ts';
import { listDeliveries, testEndpoint } from '../../webhooks/deliveries.ts';
import {
  pauseEndpoint,
  readEndpoint,
  removeEndpoint,
  replayEndpoint,
  replayLast,
  resumeEndpoint,
  rotateEndpoint,
  updateEndpoint,
  type Webhooks,
} from '../../webhooks/endpoint.ts';
import { type Progress, progressOf } from '../../webhooks/progress.ts';
import { webhooksOf } from '../../webhooks/webhooks.ts';
import type { EndpointFull, EndpointRow } from '../../webhooks/wire.ts';
import { Choices } from '../choices.tsx';
import { Dialog, Opens, OpensChange } from '../dialog.tsx';
import type { Fields } from '../fields.ts';
import { Act, Form } from '../form.tsx';
import { addressWith } from '../list.tsx';
import { Empty, Panel } from '../page-parts.tsx';
import { saying } from '../said.ts';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { Removes } from './removes.tsx';
import { showOnce } from './secret.tsx';
import { settingsPage } from './sections.tsx';
import {
  Deliveries,
  LastAndNext,
  nameOf,
  reasons,
  State,
  Types,
  WebhookFields,
  webhookIn,
} from './webhook-parts.tsx';

/** Where the webhooks are. */
export const path = '/settings/webhooks';
/** Who may have them. */
export const may = 'keys:write';

const deliveriesPerPage = 50;

type OfOne = Visit<'/:id'>;

const showEndpoint = async ({ actor, parameters, query, session }: OfOne): Promise<Shown> => {
  const { id } = parameters;
  const page = { limit: deliveriesPerPage, before: query.get('before') };
  const [one, { rows, hasMore }, [progress]] = await Promise.all([
    readEndpoint(actor, id),
    listDeliveries(actor, id, page),
    progressOf(actor, id),
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
        {isOwn && <ChangeEndpoint one={one} />}
        {isOwn && <SendAgain id={id} />}
        <Panel
          id="endpoint"
          title="Webhook"
          action={isOwn && <OpensChange dialog="change-webhook" of="webhook" />}
        >
          <EndpointValues one={one} progress={progress} />
        </Panel>
        <Panel
          id="deliveries"
          title="Deliveries"
          action={
            isOwn && (
              <Opens dialog="send-again" class="button quiet">
                Send again
              </Opens>
            )
          }
        >
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

const EndpointValues = ({
  one,
  progress,
}: {
  one: EndpointRow;
  progress?: Progress | undefined;
}) => (
  <dl class="body values">
    <div>
      <dt>Address</dt>
      <dd class="static">
        <code>{one.url}</code>
      </dd>
    </div>
    <div>
      <dt>State</dt>
      <dd class="static">
        <State {...one} />
      </dd>
    </div>
    <div>
      <dt>Last and next try</dt>
      <dd class="static">
        <LastAndNext one={one} progress={progress} />
      </dd>
    </div>
    <div>
      <dt>Events</dt>
      <dd class="static">
        <Types types={one.types} />
      </dd>
    </div>
    <div>
      <dt>Acts as</dt>
      <dd class="static">{one.member.name}. Only what this member may see is sent.</dd>
    </div>
  </dl>
);

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
    <Removes
      of={one.id}
      name="this webhook"
      action={`${path}/${one.id}/delete`}
      verb="Delete"
      class="button quiet"
    >
      Matterhorn sends nothing more to this address. This cannot be undone.
    </Removes>
  </div>
);

const ChangeEndpoint = ({ one }: { one: EndpointFull }) => (
  <Dialog id="change-webhook" title="Change the webhook">
    <Form action={`${path}/${one.id}`} save="Save">
      <WebhookFields {...one} />
    </Form>
  </Dialog>
);

/** From when on a webhook is told again: the seconds before now, or everything. */
const spans = [
  { value: '3600', name: 'What happened in the last hour' },
  { value: '86400', name: 'What happened in the last 24 hours' },
  { value: '604800', name: 'What happened in the last 7 days' },
  { value: 'all', name: 'Everything since the beginning' },
];

const SendAgain = ({ id }: { id: string }) => (
  <Dialog id="send-again" title="Send again" class="slim">
    <Form action={`${path}/${id}/replay`} save="Send again">
      <p>
        The messages come in their order, before new ones. They have the same ids as before, so the
        receiver can skip those that it has.
      </p>
      <Choices name="since" label="What is sent" value="3600" options={spans} />
    </Form>
  </Dialog>
);

/** What webhooks need of this server. */
export const webhooksFor = ({ settings, installation }: Visit): Webhooks =>
  webhooksOf(eventTypes, settings, {
    keyOf: () => installation.key,
    ownPorts: installation.ownPorts,
  });

const changeEndpoint = async (visit: OfOne, fields: Fields) => {
  const { actor, parameters } = visit;
  const { id } = parameters;
  const [before, wanted] = [await readEndpoint(actor, id), webhookIn(fields)];
  // What stays as it is is not judged anew: the key with which it was made may have been for less.
  const isSame = wanted.types.toSorted().join() === before.types.toSorted().join();
  await updateEndpoint(webhooksFor(visit), actor, id, {
    description: wanted.description,
    ...(wanted.url !== before.url && { url: wanted.url }),
    ...(!isSame && { types: wanted.types }),
  });
  return `${path}/${id}`;
};

const textsNow = async (reader: Reader, { parameters }: OfOne) => {
  const { url, description } = await readEndpoint(reader, parameters.id);
  return { url, description: description ?? '' };
};

const sendAgain = async ({ actor, parameters }: OfOne, fields: Fields) => {
  const { id } = parameters;
  const since = spans.find(({ value }) => value === fields.text('since'));
  if (!since) throw invalidField('since', 'must be one of the choices');
  if (since.value === 'all') await replayEndpoint(actor, id, '0');
  else await replayLast(actor, id, Number(since.value));
  return saying(
    `${path}/${id}`,
    `Sent again to {title}: ${since.name.charAt(0).toLowerCase()}${since.name.slice(1)}.`,
  );
};

/** The page on which a webhook's secret is shown once. */
export const showSecret = (one: EndpointFull) =>
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

const endpointPage = page(`${path}/:id`, may, showEndpoint);

/** A button of an endpoint's page, which then shows it again. */
const act = (verb: string, said: string, change: (visit: OfOne, id: string) => Promise<unknown>) =>
  form(
    `${path}/:id/${verb}`,
    may,
    async (visit: OfOne) => {
      const { id } = visit.parameters;
      await change(visit, id);
      return `${path}/${id}`;
    },
    endpointPage,
    { said },
  );

const remove = async ({ actor, parameters: { id } }: OfOne) => {
  const name = nameOf(await readEndpoint(actor, id));
  await removeEndpoint(actor, id);
  return saying(path, `Webhook deleted: ${name}.`);
};

export const pagesOfWebhook: Page[] = [
  endpointPage,
  form(`${path}/:id`, may, changeEndpoint, endpointPage, {
    proof: 'change a webhook',
    guard: textsNow,
    said: 'Changed: {title}.',
  }),
  form(`${path}/:id/replay`, may, sendAgain, endpointPage),
  act('test', 'A test was sent to {title}.', (visit, id) =>
    testEndpoint(webhooksFor(visit), visit.actor, id),
  ),
  act('pause', 'Paused: {title}.', ({ actor }, id) => pauseEndpoint(actor, id)),
  act('resume', 'Active again: {title}.', ({ actor }, id) => resumeEndpoint(actor, id)),
  form(`${path}/:id/delete`, may, remove, endpointPage, { proof: 'delete a webhook' }),
  form(
    `${path}/:id/rotate`,
    may,
    async (visit: OfOne): Promise<Shown> =>
      showSecret(await rotateEndpoint(webhooksFor(visit), visit.actor, visit.parameters.id)),
    endpointPage,
    { proof: 'replace the secret of a webhook' },
  ),
];
