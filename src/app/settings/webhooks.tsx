/** @jsxImportSource preact */
import { createEndpoint, listEndpoints } from '../../webhooks/endpoint.ts';
import { type Progress, progressOf } from '../../webhooks/progress.ts';
import type { EndpointRow } from '../../webhooks/wire.ts';
import { limits } from '../../webhooks/wire.ts';
import { Dialog, Opens } from '../dialog.tsx';
import type { Fields } from '../fields.ts';
import { Form } from '../form.tsx';
import { Icon } from '../icon.tsx';
import { Empty } from '../page-parts.tsx';
import { Table } from '../table.tsx';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { settingsPage } from './sections.tsx';
import { may, pagesOfWebhook, path, showSecret, webhooksFor } from './webhook-page.tsx';
import { LastAndNext, nameOf, State, Types, WebhookFields, webhookIn } from './webhook-parts.tsx';

const showEndpoints = async ({ actor, session }: Visit): Promise<Shown> => {
  const [{ rows }, progress] = await Promise.all([
    listEndpoints(actor, { limit: limits.ofFirm, offset: 0 }),
    progressOf(actor),
  ]);
  return settingsPage({
    title: 'Webhooks',
    intro: 'They tell other programs what changed, in order, and try again for three days.',
    action: (
      <Opens dialog="new-webhook" class="button primary">
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
          <Endpoints rows={rows} progress={progress} own={session.member.id} />
        )}
      </>
    ),
  });
};

const NewEndpoint = () => (
  <Dialog id="new-webhook" title="New webhook">
    <Form action={path} save="Create webhook" whole>
      <WebhookFields />
    </Form>
  </Dialog>
);

type EndpointsProps = { rows: EndpointRow[]; progress: Progress[]; own: string };

const Endpoints = ({ rows, progress, own }: EndpointsProps) => (
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
      { name: 'Events', cell: ({ types }) => <Types types={types} /> },
      { name: 'State', class: 'line-2', cell: (one) => <State {...one} /> },
      {
        name: 'Last and next try',
        class: 'line-2',
        cell: (one) => (
          <LastAndNext
            one={one}
            progress={progress.find(({ endpointId }) => endpointId === one.id)}
          />
        ),
      },
    ]}
  />
);

const makeEndpoint = async (visit: Visit, fields: Fields): Promise<Shown> =>
  showSecret(await createEndpoint(webhooksFor(visit), visit.actor, webhookIn(fields)));

const endpointsPage = page(path, may, showEndpoints);

export const webhookPages: Page[] = [
  endpointsPage,
  form(path, may, makeEndpoint, endpointsPage, { proof: 'add a webhook' }),
  ...pagesOfWebhook,
];
