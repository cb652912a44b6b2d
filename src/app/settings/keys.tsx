/** @jsxImportSource preact */
import { createKey, managesAllKeys, revokeKey, rotateKey } from '../../api-keys/api-key.ts';
import { type KeyState, listKeys } from '../../api-keys/list.ts';
import { dayIn } from '../../base/calendar-date.ts';
import { newId } from '../../base/columns.ts';
import { invalidField, notFound, Refusal } from '../../base/refusal.ts';
import { isRequired, plainly } from '../../base/rule.ts';
import { isScope, scopes } from '../../contents.ts';
import { mayUse, type Permission } from '../../firm/permissions.ts';
import { Check, Checks } from '../choices.tsx';
import { Dialog, Opens } from '../dialog.tsx';
import type { Fields } from '../fields.ts';
import { Choice, Form, Text } from '../form.tsx';
import { Icon } from '../icon.tsx';
import { DayWords, Moment } from '../moments.tsx';
import { Empty } from '../page-parts.tsx';
import { saying } from '../said.ts';
import { Table } from '../table.tsx';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { Or } from '../words.tsx';
import { permissionName } from './permission-names.ts';
import { Removes } from './removes.tsx';
import { showOnce } from './secret.tsx';
import { settingsPage } from './sections.tsx';

const path = '/settings/keys';
const day = 86_400_000;

const lives = [
  { value: '30', name: 'In 30 days' },
  { value: '90', name: 'In 90 days' },
  { value: '365', name: 'In a year' },
  { value: 'never', name: 'Never' },
];

const graces = [
  { value: '0', name: 'At once' },
  { value: '1', name: 'In a day' },
  { value: '7', name: 'In 7 days' },
  { value: '30', name: 'In 30 days' },
];

type Key = Awaited<ReturnType<typeof listKeys>>[number];

const showKeys = async ({ actor, session }: Visit): Promise<Shown> => {
  const all = await listKeys(actor);
  const { email } = session.member;
  const seesAll = managesAllKeys(session.may);
  const shown = all.filter((key) => seesAll || key.member === email).reverse();
  return settingsPage({
    title: 'API keys',
    intro: seesAll
      ? 'A key acts as the member who created it. You see the keys of all members.'
      : 'A key acts as the member who created it, within its scopes.',
    action: (
      <Opens dialog="new-key" class="button primary">
        <Icon name="plus" />
        New key
      </Opens>
    ),
    main: (
      <>
        <NewKey visitMay={(permission) => session.may(permission)} />
        {shown.length === 0 ? (
          <Empty text="There are no keys yet. A key lets a program in, for example your website’s form." />
        ) : (
          <Keys keys={shown} own={email} timeZone={session.timeZone} />
        )}
      </>
    ),
  });
};

const NewKey = ({ visitMay }: { visitMay: (permission: Permission) => boolean }) => (
  <Dialog id="new-key" title="New key">
    <Form action={path} save="Create key" whole>
      <input type="hidden" name="id" value={newId()} />
      <Text
        name="name"
        label="Name"
        hint="The program that uses the key, for example Website form."
        required
        first
      />
      <Choice name="expires" label="Expires" value="365" options={lives} />
      <Checks name="scopes" label="What the key may do">
        <div class="pair of-two">
          {scopes
            .filter((scope) => mayUse(scope, visitMay))
            .map((scope) => (
              <Check name="scopes" value={scope} label={permissionName(scope)} hint={scope} />
            ))}
        </div>
      </Checks>
    </Form>
  </Dialog>
);

const Keys = ({ keys, own, timeZone }: { keys: Key[]; own: string; timeZone: string }) => (
  <Table
    caption="Keys"
    rows={keys}
    columns={[
      {
        name: 'Name',
        isHead: true,
        class: 'line-1',
        cell: ({ name, start }) => (
          <>
            {name}
            <div class="small muted">
              <code>{start}…</code>
            </div>
          </>
        ),
      },
      { name: 'Member', class: 'line-2', cell: ({ member }) => (member === own ? 'You' : member) },
      { name: 'State', class: 'line-1', cell: (key) => <State {...key} /> },
      {
        name: 'Scopes',
        class: 'line-2 whole',
        cell: (key) => (
          <span class="scopes">
            <span class="only-narrow">Scopes:</span>
            {key.scopes.length === scopes.length ? (
              <span class="muted">Everything</span>
            ) : (
              key.scopes.map((scope) => <code>{scope}</code>)
            )}
          </span>
        ),
      },
      {
        name: 'Last used',
        class: 'nowrap line-2',
        cell: ({ lastUsedAt }) => (
          <>
            <span class="only-narrow">Last used: </span>
            <Or value={lastUsedAt && <Moment at={lastUsedAt.toISOString()} />} none="Never" />
          </>
        ),
      },
      {
        name: 'Expires',
        class: 'nowrap line-2',
        cell: ({ expiresAt }) => (
          <>
            <span class="only-narrow">Expires: </span>
            <Or value={expiresAt && <DayWords day={dayIn(expiresAt, timeZone)} />} none="Never" />
          </>
        ),
      },
      {
        name: 'Change',
        class: 'line-2',
        cell: (key) => isGood(key) && <KeyActs one={key} isOwn={key.member === own} />,
      },
    ]}
  />
);

const isGood = ({ state }: Key) => state !== 'revoked' && state !== 'expired';

const states: Record<KeyState, { name: string; class: string }> = {
  live: { name: 'Active', class: 'ok' },
  expiring: { name: 'Expires soon', class: 'warn' },
  expired: { name: 'Expired', class: '' },
  revoked: { name: 'Revoked', class: '' },
  deactivated: { name: 'Its member is deactivated', class: '' },
};

const State = ({ state }: { state: KeyState }) => (
  <span class={`tag ${states[state].class}`}>{states[state].name}</span>
);

const KeyActs = ({ one, isOwn }: { one: Key; isOwn: boolean }) => (
  <div class="row">
    {isOwn && one.state !== 'deactivated' && (
      <a class="button small" href={`${path}/${one.id}/rotate`} aria-label={`Rotate ${one.name}`}>
        Rotate
      </a>
    )}
    <Removes
      of={one.id}
      name={one.name}
      action={`${path}/${one.id}/revoke`}
      verb="Revoke"
      class="button small"
    >
      Programs that use this key are refused at once. This cannot be undone.
    </Removes>
  </div>
);

const makeKey = async ({ actor, session }: Visit, fields: Fields): Promise<Shown> => {
  const wished = fields.all('scopes');
  if (!wished.every(isScope))
    throw invalidField('scopes', 'must be some of the choices, each once');
  if (wished.length === 0) {
    const none = invalidField(
      'scopes',
      plainly('Choose what the key may do', 'needs at least one choice'),
    );
    const nameless = fields.text('name') ? [] : [{ field: 'name', ...isRequired() }];
    throw new Refusal(none.code, none.message, {}, [...nameless, ...none.faults]);
  }
  const expires = fields.text('expires') ?? '';
  if (!lives.some(({ value }) => value === expires)) {
    throw invalidField('expires', 'must be one of the choices');
  }
  const id = fields.text('id');
  const made = await createKey(actor, {
    memberId: session.member.id,
    scopes: wished,
    name: fields.text('name') ?? '',
    expiresAt: expires === 'never' ? null : new Date(Date.now() + Number(expires) * day),
    ...(id && { id }),
  });
  return showKey(made);
};

const showKey = ({ name, key }: { name: string; key: string }) =>
  showOnce({
    title: `Copy the key “${name}” now`,
    label: 'The key',
    secret: key,
    back: path,
    children: <p>The key is shown only now. If you lose the key, rotate it.</p>,
  });

const showRotate = async (visit: Visit<'/:id'>): Promise<Shown> => {
  const { actor, parameters, session } = visit;
  const { id } = parameters;
  const one = (await listKeys(actor)).find((key) => key.id === id);
  const isMine = one?.member === session.member.email;
  if (!one || !(isMine || managesAllKeys(session.may))) throw notFound();
  if (!isMine || !isGood(one)) return showKeys(visit);
  return settingsPage({
    title: `Rotate ${one.name}`,
    within: { path, name: 'API keys' },
    intro: 'A new key replaces this one, with the same name, scopes and lifetime.',
    main: (
      <>
        <section class="panel" aria-label="Rotate">
          <div class="body">
            <Form action={`${path}/${id}/rotate`} save="Rotate the key" cancel={path} whole>
              <Choice
                name="grace"
                label="The old key ends"
                hint="Until then both keys work, so that nothing stops while you switch."
                value="1"
                options={graces}
              />
            </Form>
          </div>
        </section>
      </>
    ),
  });
};

const rotate = async ({ actor, parameters }: Visit<'/:id'>, fields: Fields): Promise<Shown> => {
  const grace = graces.find(({ value }) => value === fields.text('grace'));
  if (!grace) throw invalidField('grace', 'must be one of the choices');
  return showKey(await rotateKey(actor, parameters.id, Number(grace.value) * day));
};

const may = 'keys:write';

const keysPage = page(path, may, showKeys);
const rotatePage = page(`${path}/:id/rotate`, may, showRotate);

export const keyPages: Page[] = [
  keysPage,
  form(path, may, makeKey, keysPage, { proof: 'create a key' }),
  rotatePage,
  form(`${path}/:id/rotate`, may, rotate, rotatePage, { proof: 'replace a key' }),
  form(
    `${path}/:id/revoke`,
    may,
    async ({ actor, parameters }: Visit<'/:id'>, fields) => {
      await revokeKey(actor, parameters.id);
      return saying(path, `Key revoked: ${fields.text('name')}.`);
    },
    keysPage,
    { proof: 'revoke a key' },
  ),
];
