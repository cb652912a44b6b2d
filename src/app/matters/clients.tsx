/** @jsxImportSource preact */
import type { Reach } from '../../matters/people.ts';
import type { MatterRecord } from '../../matters/record.ts';
import { limits } from '../../matters/wire.ts';
import { Check } from '../choices.tsx';
import { Dialog, OpensChange } from '../dialog.tsx';
import { type Fields, originalName } from '../fields.ts';
import { Form } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Island } from '../island.tsx';
import { Panel } from '../page-parts.tsx';
import { type Column, Table } from '../table.tsx';
import { Or } from '../words.tsx';
import { ClientPicker } from './client-picker.tsx';

type Client = MatterRecord['clients'][number];

type ClientsProps = {
  matter: MatterRecord;
  /** How to reach them; undefined for members who may not read contacts. */
  reach: ReadonlyMap<string, Reach> | undefined;
  mayWrite: boolean;
};

export const Clients = ({ matter, reach, mayWrite }: ClientsProps) => (
  <div role="group" aria-label="Clients">
    <Panel
      id="clients"
      title="Clients"
      action={mayWrite && <OpensChange dialog="change-clients" of="clients" />}
    >
      {matter.clients.length === 0 ? (
        <p class="body muted">No client.</p>
      ) : (
        <Table caption="Clients" columns={columnsWith(reach)} rows={matter.clients} />
      )}
    </Panel>
    {mayWrite && <ChangeClients matter={matter} />}
  </div>
);

const columnsWith = (reach: ClientsProps['reach']): Column<Client>[] => {
  const phoneOf = ({ contactId }: Client) => reach?.get(contactId)?.phone;
  return [
    {
      name: 'Name',
      isHead: true,
      class: 'line-1 cut',
      cell: ({ contactId, name }) =>
        reach?.has(contactId) ? (
          <a class="name" href={`/contacts/${contactId}`} title={name}>
            {name}
          </a>
        ) : (
          name
        ),
    },
    {
      name: 'Role',
      class: 'line-2',
      cell: (client) => (
        <>
          {partWords(client)}
          {reach && (
            <span class="more">
              {' · '}
              <Phone number={phoneOf(client)} />
            </span>
          )}
        </>
      ),
    },
    ...(reach
      ? [
          {
            name: 'Phone',
            class: 'nowrap',
            cell: (client: Client) => <Phone number={phoneOf(client)} />,
          },
        ]
      : []),
  ];
};

const partWords = ({ isPrimary, isBillRecipient }: Client) => {
  if (isPrimary) return isBillRecipient ? 'Primary client, billed' : 'Primary client';
  return isBillRecipient ? 'Billed' : 'Client';
};

const Phone = ({ number }: { number: string | null | undefined }) => (
  <Or
    value={number && <a href={`tel:${number.replace(/[^\d+]/g, '')}`}>{number}</a>}
    none="No phone"
  />
);

const ChangeClients = ({ matter }: { matter: MatterRecord }) => {
  const action = `/matters/${matter.id}/clients`;
  const { refused } = useFrame().visit;
  const sent = refused?.action === action ? refused : undefined;
  const fault = sent?.refusal.faults.find(({ field }) => field === 'clients');
  const nameOf = (id: string) =>
    matter.clients.find(({ contactId }) => contactId === id)?.name ?? 'A contact chosen before';
  const chosen = sent ? clientsIn(sent.fields) : inputOf(matter.clients);
  return (
    <Dialog id="change-clients" title="Clients">
      <Form action={action} save="Save clients">
        {fault?.now !== undefined && (
          <div class="theirs">
            <p>
              The clients are now{' '}
              <b>{matter.clients.map(({ name }) => name).join(', ') || 'nobody'}</b>. Your choice is
              below: save again to use it.
            </p>
          </div>
        )}
        <input
          type="hidden"
          name={originalName('clients')}
          value={
            fault?.now ??
            sent?.fields.raw(originalName('clients')) ??
            clientsText(inputOf(matter.clients))
          }
        />
        <Island
          name="clients"
          of={ClientPicker}
          props={{
            chosen: chosen.contactIds.map((id) => ({ id, name: nameOf(id) })),
            max: limits.clients,
            label: 'Add a client',
            parts: { primary: chosen.primaryId ?? '', billRecipient: chosen.billRecipientId ?? '' },
          }}
        />
        <noscript>
          <div class="field">
            <label for="client-address">Add a client by the address of the contact’s page</label>
            <input class="input" id="client-address" name="clientAddress" autocomplete="off" />
          </div>
          {matter.clients.map(({ contactId, name }) => (
            <Check name="takeOff" value={contactId} label={`Remove ${name}`} />
          ))}
        </noscript>
      </Form>
    </Dialog>
  );
};

type ClientsInput = {
  contactIds: string[];
  primaryId: string | null;
  billRecipientId: string | null;
};

const inputOf = (clients: readonly Client[]): ClientsInput => ({
  contactIds: clients.map(({ contactId }) => contactId),
  primaryId: clients.find(({ isPrimary }) => isPrimary)?.contactId ?? null,
  billRecipientId: clients.find(({ isBillRecipient }) => isBillRecipient)?.contactId ?? null,
});

const anId = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

/** The clients that a form sent. By default the first one is primary and gets the bill. */
export const clientsIn = (fields: Fields): ClientsInput => {
  const address = fields.text('clientAddress');
  const typed = address ? [anId.exec(address)?.[0].toLowerCase() ?? address] : [];
  const gone = fields.all('takeOff');
  const all = new Set([...fields.all('clientContactIds'), ...typed]);
  const contactIds = [...all].filter((id) => !gone.includes(id));
  const among = (name: string) => {
    const id = fields.text(name) ?? '';
    return contactIds.includes(id) ? id : (contactIds[0] ?? null);
  };
  return { contactIds, primaryId: among('primary'), billRecipientId: among('billRecipient') };
};

/** The clients as one text, so that two edits can be compared. */
export const clientsText = ({ contactIds, primaryId, billRecipientId }: ClientsInput) =>
  [...contactIds, `primary ${primaryId ?? ''}`, `bill ${billRecipientId ?? ''}`].join('\n');

export const clientsTextOf = (clients: readonly Client[]) => clientsText(inputOf(clients));
