/** @jsxImportSource preact */
import { allChecked } from '../../base/checked.ts';
import { newFirm, setUpFirm } from '../../blueprint/setup.ts';
import { starts } from '../../blueprint/starts.ts';
import { listFirms } from '../../firm/firm.ts';
import { emailFrom, longestAddress } from '../../firm/member.ts';
import { timeZoneFrom, timeZones } from '../../firm/time-zone.ts';
import { beginMailing } from '../../mail/guard.ts';
import { judgePassword } from '../../sign-in/password.ts';
import { isSetupToken } from '../../sign-in/setup-link.ts';
import { Choices } from '../choices.tsx';
import { checked, type Fields } from '../fields.ts';
import { Choice, Form, Text } from '../form.tsx';
import { Card } from '../layout.tsx';
import { browserOf, goIn } from '../sign-in/go-in.ts';
import { countAttempt } from '../sign-in/limits.ts';
import { NewPassword } from '../sign-in/passwords.tsx';
import { showOver } from '../sign-in/welcome.tsx';
import { form, type OpenVisit, type Page, page, type Shown } from '../visit.ts';

const title = 'Set up your firm';

/** The only page before there is a firm. It asks for the firm, its owner, and a start. */
const showSetup = async (visit: OpenVisit): Promise<Shown> => {
  const { database, query, refused } = visit;
  const token = refused?.fields.raw('token') ?? query.get('token') ?? '';
  if (!(await isSetupToken(database, token))) return showSetUpAlready(visit);
  return {
    title,
    main: (
      <Card title={title}>
        <Form action="/setup">
          <input type="hidden" name="token" value={token} />
          <Text
            name="firm"
            label="Name of the firm"
            ask="Enter the name of the firm."
            autocomplete="organization"
            required
            first
          />
          <Zone />
          <Choices
            name="start"
            label="Starting point"
            value={starts[0]?.id}
            options={starts.map(({ id: value, name, hint }) => ({ value, name, hint }))}
          />
          <p class="muted">
            Includes roles, lead stages, practice areas and numbering. You can change all of it
            later.
          </p>
          <Text name="name" label="Your name" autocomplete="name" required />
          <Text name="email" label="Email" type="email" autocomplete="username" required />
          <NewPassword />
          <button class="button primary wide">Create firm</button>
        </Form>
      </Card>
    ),
  };
};

/** The setup is over, or its address is incomplete. */
const showSetUpAlready = async (visit: OpenVisit): Promise<Shown> => {
  const [firm] = await listFirms(visit.database);
  const why = firm
    ? 'The link sets up the first firm of this server, and there is a firm already.'
    : 'The link is not the address that the server printed when it started. Copy the whole address.';
  return showOver(visit, why, firm !== undefined);
};

/** The firm's time zone. A script chooses the browser's own. */
const Zone = () => (
  <div data-script="zone">
    <Choice
      name="timeZone"
      label="Time zone"
      hint="Used for due dates, reminders and the year in numbers."
      value={Intl.DateTimeFormat().resolvedOptions().timeZone}
      options={timeZones.map((zone) => ({ value: zone, name: zone.replaceAll('_', ' ') }))}
      required
    />
  </div>
);

const setUp = async (visit: OpenVisit, fields: Fields) => {
  await countAttempt(visit, 'setup');
  const email = fields.text('email') ?? '';
  const password = fields.raw('password') ?? '';
  const sent = {
    firm: fields.text('firm') ?? '',
    timeZone: fields.text('timeZone') ?? '',
    start: fields.text('start') ?? '',
    name: fields.text('name') ?? '',
    ...{ email, password },
  };
  const [input] = await allChecked(
    () => checked(newFirm, sent),
    () => judgePassword(password, email),
    // What is missing or too long is said already.
    () => email !== '' && email.length <= longestAddress && emailFrom(email),
    () => sent.timeZone !== '' && timeZoneFrom(sent.timeZone),
  );
  const token = fields.raw('token') ?? '';
  const session = await setUpFirm(visit.database, token, input, browserOf(visit));
  // Colleagues may be invited at once.
  if (visit.settings.mail) await beginMailing(visit.database);
  return goIn(visit, { session }, '/', 'Your firm is ready.');
};

const setupPage = page('/setup', 'open', showSetup);

export const setupPages: Page[] = [
  setupPage,
  form('/setup', 'open', setUp, setupPage, { maxBytes: 16 * 1024 }),
];
