/** @jsxImportSource preact */
/** How a webhook stands, in words; and what is asked of one, when it is made and when it is changed. */
import { invalidField } from '../../base/refusal.ts';
import { eventTypes } from '../../contents.ts';
import { testType } from '../../webhooks/deliveries.ts';
import { maxWaiting } from '../../webhooks/outgoing.ts';
import type { Progress } from '../../webhooks/progress.ts';
import type { Failure, PauseReason } from '../../webhooks/table.ts';
import type { DeliveryRow, EndpointRow } from '../../webhooks/wire.ts';
import { Check, Checks, Choices } from '../choices.tsx';
import type { Fields } from '../fields.ts';
import { Text } from '../form.tsx';
import { Moment, MomentSaid, spanWords } from '../moments.tsx';
import { counted } from '../numbers.ts';
import { Table } from '../table.tsx';

/** What a webhook is called: its name, or else its host. */
export const nameOf = ({ description, url }: EndpointRow) => description ?? new URL(url).host;

export const Types = ({ types }: { types: string[] }) => (
  <span class="scopes">
    {types.includes('*') ? (
      <span class="muted">Everything</span>
    ) : (
      types.map((type) => <code>{type}</code>)
    )}
  </span>
);

export const reasons: Record<PauseReason, { name: string; class: string; text: string }> = {
  FAILING: {
    name: 'Paused: it does not answer',
    class: 'danger',
    text: 'The address has not answered for 24 hours. Matterhorn tries it once an hour, and goes on when it answers. Nothing is lost.',
  },
  MEMBER: {
    name: 'Paused: its member lacks the permission',
    class: 'danger',
    text: 'Its member is deactivated, or their role allows no webhooks. Nothing is lost.',
  },
  GONE: {
    name: 'Switched off by its receiver',
    class: '',
    text: 'The receiver answered that it is gone (410). If that was wrong, resume the webhook. Nothing is lost.',
  },
  ASKED: { name: 'Paused', class: 'warn', text: 'Somebody paused the webhook. Nothing is lost.' },
  SECRET: {
    name: 'Paused: no secret',
    class: 'danger',
    text: 'The key of this server cannot read the secret. Rotate the secret, and resume the webhook.',
  },
};

export const State = ({ reason }: EndpointRow) =>
  reason ? (
    <span class={`tag ${reasons[reason].class}`}>{reasons[reason].name}</span>
  ) : (
    <span class="tag ok">Active</span>
  );

const failureWords: Record<Failure, string> = {
  status: 'refused',
  redirect: 'the address redirects, and redirects are not followed',
  timeout: 'no answer in 15 seconds',
  unresolved: 'the name has no IP address',
  'refused-address': 'sending to this IP address is not allowed',
  connection: 'nothing answers',
  certificate: 'the certificate is not trusted',
  aborted: 'the receiver asked for no more tries',
};

/** What came of a try: `204`, or `503, refused`. */
const answerWords = ({ answer, failure }: { answer: number | null; failure: Failure | null }) =>
  [answer, failure && failureWords[failure]].filter(Boolean).join(', ');

type Standing = { one: EndpointRow; progress: Progress | undefined };

/** The last try and the next: `Last sent 10:42 to hooks.example: 503, refused. 3 messages wait. Next try in 5 minutes.` */
export const LastAndNext = ({ one, progress }: Standing) => (
  <>
    <Last one={one} progress={progress} /> {progress && nextWords(one, progress)}
  </>
);

const Last = ({ one, progress }: Standing) => {
  const last = progress?.last;
  if (!last) return 'Nothing was sent in the last 30 days.';
  return (
    <>
      Last sent <MomentSaid at={new Date(last.at)} withTime /> to {new URL(one.url).host}:{' '}
      {answerWords(last)}.
    </>
  );
};

const nextWords = (
  { status, reason }: EndpointRow,
  { waiting, isSending, nextSeconds }: Progress,
): string => {
  const waits =
    waiting === 0
      ? []
      : [
          `${waiting < maxWaiting ? '' : 'At least '}${counted(waiting, 'message')} ${waiting === 1 ? 'waits' : 'wait'}.`,
        ];
  if (status !== 'ACTIVE' && reason !== 'FAILING') {
    return [...waits, 'Next try when it is resumed.'].join(' ');
  }
  if (isSending) return [...waits, 'Sending now.'].join(' ');
  if (nextSeconds === null) return '';
  return [...waits, `Next try in ${spanWords(nextSeconds)}.`].join(' ');
};

/** What was sent, and what came of it. */
export const Deliveries = ({ rows }: { rows: DeliveryRow[] }) => (
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
          <span class={`tag ${failure ? 'danger' : 'ok'}`}>{answerWords({ answer, failure })}</span>
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

type Asked = Pick<EndpointRow, 'url' | 'description' | 'types'>;

export const WebhookFields = ({ url, description, types = ['*'] }: Partial<Asked>) => (
  <>
    <Text
      name="url"
      label="Address"
      hint="It begins with https:// and is on the open internet."
      value={url}
      required
      first
    />
    <Text
      name="description"
      label="Name"
      hint="The program behind it, for example Accounting."
      value={description}
    />
    <Choices
      name="hears"
      label="Events to send"
      value={types.includes('*') ? 'all' : 'some'}
      options={[
        { value: 'all', name: 'Everything that you may see' },
        { value: 'some', name: 'Only some events' },
      ]}
    />
    <div class="of-some">
      <Checks name="types" label="Events">
        <div class="pair of-two">
          {eventTypes.known.map((type) => (
            <Check name="types" value={type} label={type} checked={types.includes(type)} />
          ))}
        </div>
      </Checks>
    </div>
  </>
);

/** The fields as they were sent. Throws `Refusal` invalid_request if events should be chosen, and none is. */
export const webhookIn = (fields: Fields): Asked => {
  const types = fields.text('hears') === 'all' ? ['*'] : fields.all('types');
  if (types.length === 0) throw invalidField('types', 'needs at least one choice');
  return {
    url: fields.text('url') ?? '',
    description: fields.text('description') || null,
    types,
  };
};
