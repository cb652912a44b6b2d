/** @jsxImportSource preact */
import type { MailAccount } from '../../base/mail-settings.ts';
import { Refusal } from '../../base/refusal.ts';
import { sealsOf } from '../../base/seal.ts';
import { readFirm } from '../../firm/firm.ts';
import { memberWithId } from '../../firm/member.ts';
import {
  accountOf,
  keepRefreshToken,
  type OwnAccount,
  ownAccount,
  removeAccount,
  setAccount,
  setMailsName,
} from '../../mail/account.ts';
import { letterWith } from '../../mail/letter.ts';
import { type ListedMail, newestMails } from '../../mail/queue.ts';
import type { MailKind } from '../../mail/table.ts';
import { type Sent, sendLetter } from '../../mail/transport.ts';
import { Check, Choices } from '../choices.tsx';
import type { Fields } from '../fields.ts';
import { Act, Choice, Form, Text } from '../form.tsx';
import { MailTag } from '../mail-state.tsx';
import { Moment } from '../moments.tsx';
import { Panel } from '../page-parts.tsx';
import { Secret } from '../secret.tsx';
import { Table } from '../table.tsx';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { Removes } from './removes.tsx';
import { settingsPage } from './sections.tsx';

const path = '/settings/mail';

const showMail = async (visit: Visit, tested?: { to: string; sent: Sent }): Promise<Shown> => {
  const { actor, settings } = visit;
  const [own, stored, mails] = await Promise.all([
    ownAccount(actor),
    readFirm(actor),
    newestMails(actor),
  ]);
  const account = own ?? settings.mail;
  return settingsPage({
    title: 'Mail',
    intro: 'Notices can also go out by mail. Without mail, they stay in the inbox.',
    main: (
      <>
        {tested && <Tested {...tested} />}
        <Panel
          id="mail"
          title="Where mails go"
          action={
            account && (
              <Act action={`${path}/test`} class="button small">
                Send a test
              </Act>
            )
          }
        >
          <div class="body stack">
            <p>{account ? wordsOf(account, own !== undefined) : 'No mail is set up.'}</p>
            {account && !settings.publicUrl && (
              <div class="banner warn">
                <p>
                  Mails have no link to what they are about, because the server does not know its
                  address. The person who looks after the server sets <code>PUBLIC_URL</code>.
                </p>
              </div>
            )}
            {own && (
              <Removes of="server" name="this mail server" action={`${path}/remove`} class="button">
                No mail goes out through this server any more. To use it again, set it up again.
              </Removes>
            )}
          </div>
        </Panel>
        <Panel id="server" title={own ? 'Change the mail server' : 'Set up a mail server'}>
          <div class="body">
            <ServerForm own={own} />
          </div>
        </Panel>
        {account && (
          <>
            <Panel id="names" title="What mails say">
              <div class="body">
                <Form action={`${path}/names`} save="Save">
                  <Check
                    name="mailsName"
                    label="Mails may name people and matters"
                    hint="Mails pass through other people’s servers. If you do not tick this box, a mail says only that there is something new, and has a link."
                    checked={stored.mailsName}
                  />
                </Form>
              </div>
            </Panel>
            <Mails mails={mails} />
          </>
        )}
      </>
    ),
  });
};

const wordsOf = ({ host, port, from }: Pick<MailAccount, 'host' | 'port' | 'from'>, own: boolean) =>
  `Mails go to ${host}, port ${port}, and come from ${from}. ${
    own ? 'The firm has set this itself.' : 'The person who looks after the server has set this.'
  }`;

const aboutSignIn = [530, 534, 535, 538];

const wrongSignIn =
  'The mail server does not accept the user name and the password, or the token. Correct them below. Some providers need a password that you create for this program alone.';

/** What the answer of a mail server means, and what to do; nothing where its own words say it best. */
const meaningOf = ({ outcome, code }: Pick<Sent, 'outcome' | 'code'>): string => {
  if (code && aboutSignIn.includes(code)) return wrongSignIn;
  if (outcome === 'refused') return 'The mail server refuses this mail for good.';
  if (code && code < 500) return 'The mail server accepts no mail at the moment. Try again later.';
  if (outcome !== 'unreachable') return '';
  return code
    ? 'The mail server does not let Matterhorn send mail. Check how it signs in, below.'
    : 'The mail server cannot be reached with encryption. Check its name, the port and the encryption, below.';
};

const Tested = ({ to, sent: { outcome, code, words } }: { to: string; sent: Sent }) =>
  outcome === 'accepted' ? (
    <div class="banner ok" role="status">
      <p>
        The mail server has accepted a test for {to}. It said: <code>{words}</code>
      </p>
    </div>
  ) : (
    <div class="banner danger" role="alert">
      <p>
        The test for {to} was not sent. {meaningOf({ outcome, code })}
      </p>
      <p class="small">
        In its own words: <code>{words}</code>
      </p>
    </div>
  );

const ServerForm = ({ own }: { own: OwnAccount | undefined }) => (
  <Form action={path} save="Save" whole>
    <Text
      name="host"
      label="Mail server"
      value={own?.host}
      placeholder="smtp.harrow.example"
      required
    />
    <Choice
      name="security"
      label="Encryption"
      hint="A connection that is not encrypted is refused, unless the mail server is on this machine."
      value={own?.security ?? 'starttls'}
      options={[
        { value: 'starttls', name: 'STARTTLS (usually port 587)' },
        { value: 'tls', name: 'TLS (usually port 465)' },
      ]}
    />
    <Text name="port" label="Port" value={String(own?.port ?? 587)} inputmode="numeric" required />
    <Text
      name="from"
      label="Address that mails come from"
      type="email"
      value={own?.from}
      required
    />
    <Choices
      name="signsInBy"
      label="How Matterhorn signs in to the mail server"
      value={own?.signsInBy ?? 'password'}
      options={[
        { value: 'password', name: 'With a password' },
        {
          value: 'token',
          name: 'With a token (OAuth)',
          hint: 'Microsoft 365 and Google ask for this.',
        },
        { value: 'nothing', name: 'Not at all', hint: 'A relay in your own network.' },
      ]}
    />
    <Text name="userName" label="User name" value={own?.userName} required={false} />
    <Secret
      name="password"
      label="Password"
      hint={own?.secret ? 'Leave the field empty if the password stays the same.' : undefined}
      autocomplete="new-password"
      required={false}
    />
    <fieldset>
      <legend>For a token</legend>
      <Text
        name="tokenUrl"
        label="Address for tokens"
        type="url"
        value={own?.tokenUrl}
        required={false}
      />
      <Text name="clientId" label="Client ID" value={own?.clientId} required={false} />
      <Secret
        name="clientSecret"
        label="Client secret"
        hint={own?.secret ? 'Leave both secrets empty if they stay the same.' : undefined}
        autocomplete="new-password"
        required={false}
      />
      <Secret
        name="refreshToken"
        label="Refresh token"
        hint="Without one, the server signs in with the client’s own credentials."
        autocomplete="new-password"
        required={false}
      />
      <Text name="scope" label="Scope" value={own?.scope} required={false} />
    </fieldset>
  </Form>
);

const aboutOf: Record<MailKind, string> = {
  notice: 'A notice',
  morning: 'Morning mail',
  link: 'A link to choose a password',
  event: 'An event',
};

const Mails = ({ mails }: { mails: ListedMail[] }) => (
  <Panel id="mails" title="Newest mails">
    {mails.length === 0 ? (
      <div class="body">
        <p class="muted">No mail has been sent yet.</p>
      </div>
    ) : (
      <Table
        caption="Newest mails"
        rows={mails}
        columns={[
          { name: 'To', isHead: true, class: 'line-1', cell: ({ to }) => to },
          { name: 'About', class: 'line-2', cell: ({ title, kind }) => title ?? aboutOf[kind] },
          {
            name: 'Queued',
            class: 'nowrap line-2',
            cell: ({ queuedAt }) => <Moment at={queuedAt.toISOString()} />,
          },
          {
            name: 'State',
            class: 'line-1',
            cell: MailTag,
          },
          { name: 'What the mail server said', class: 'line-2', cell: Said },
        ]}
      />
    )}
  </Panel>
);

const notSeen = 'The member may no longer see what the mail was about.';

const withdrawnBecause: Record<MailKind, string> = {
  notice: notSeen,
  morning: notSeen,
  link: 'The link in the mail no longer works.',
  event: 'The event was changed meanwhile.',
};

const Said = ({ state, kind, words, nextTryAt, tries }: ListedMail) => (
  <>
    {words && aboutSignIn.includes(Number(words.slice(0, 3))) && <p>{wrongSignIn}</p>}
    {words}
    {state === 'withdrawn' && withdrawnBecause[kind]}
    {state === 'queued' && tries > 0 && nextTryAt && (
      <>
        {' '}
        Next try: <Moment at={nextTryAt.toISOString()} />.
      </>
    )}
  </>
);

const change = async ({ actor, installation }: Visit, fields: Fields) => {
  const text = (name: string) => fields.text(name) ?? '';
  const { key } = installation;
  const input = {
    host: text('host'),
    port: text('port'),
    security: text('security'),
    from: text('from'),
    signsInBy: text('signsInBy'),
    userName: text('userName'),
    password: fields.raw('password') ?? '',
    tokenUrl: text('tokenUrl'),
    clientId: text('clientId'),
    scope: text('scope'),
    clientSecret: fields.raw('clientSecret') ?? '',
    refreshToken: fields.raw('refreshToken') ?? '',
  };
  await setAccount(actor, input, sealsOf(key), key !== undefined);
  return `${path}?saved`;
};

/** Less than a browser and the server wait for the answer. */
const testMilliseconds = 20_000;

const sendTest = async (visit: Visit) => {
  const { actor, database, settings, installation, session } = visit;
  const seals = sealsOf(installation.key);
  const account = await accountOf(database, actor.firmId, settings.mail, seals);
  if (!account) throw new Refusal('conflict', 'No mail is set up. Set up a mail server first.');
  if (account === 'lost') {
    throw new Refusal(
      'conflict',
      'The password was sealed with another key, and cannot be read. Enter the password again.',
    );
  }
  const { email } = await memberWithId(actor, session.member.id);
  const letter = letterWith({
    to: email,
    subject: 'A test from Matterhorn',
    lines: ['This is a test. Notices can reach you by mail.'],
    link: settings.publicUrl,
    publicUrl: settings.publicUrl,
  });
  const sent = await sendLetter(account, letter, {
    milliseconds: testMilliseconds,
    renewed: (token) => keepRefreshToken(database, actor.firmId, seals, token),
  });
  return showMail(visit, { to: email, sent });
};

const mailPage = page(path, 'owner', (visit) => showMail(visit));

export const mailPages: Page[] = [
  mailPage,
  form(path, 'owner', change, mailPage, {
    proof: 'change the mail server',
    said: 'The mail server is saved. Send a test to see whether it accepts mail.',
  }),
  form(`${path}/test`, 'owner', sendTest, mailPage),
  form(
    `${path}/remove`,
    'owner',
    async ({ actor, settings }) => {
      await removeAccount(actor, settings.mail !== undefined);
      return `${path}?saved`;
    },
    mailPage,
    { proof: 'remove the mail server', said: 'The mail server is removed.' },
  ),
  form(
    `${path}/names`,
    'owner',
    async ({ actor }, fields) => {
      await setMailsName(actor, fields.text('mailsName') === 'on');
      return `${path}?saved`;
    },
    mailPage,
    { said: 'What mails say is changed.' },
  ),
];
