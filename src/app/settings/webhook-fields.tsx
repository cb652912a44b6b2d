/** @jsxImportSource preact */
/** What is asked of a webhook, when it is made and when it is changed. */
import { invalidField } from '../../base/refusal.ts';
import { eventTypes } from '../../contents.ts';
import type { EndpointRow } from '../../webhooks/wire.ts';
import { Check, Checks, Choices } from '../choices.tsx';
import type { Fields } from '../fields.ts';
import { Text } from '../form.tsx';

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
      label="What it hears of"
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
