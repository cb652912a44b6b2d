/** @jsxImportSource preact */
import { passwordLength } from '../../sign-in/password.ts';
import { sessionLimits } from '../../sign-in/session.ts';
import { changeMyPassword } from '../../sign-in/sign-in.ts';
import { ownCookie } from '../cookies.ts';
import type { Fields } from '../fields.ts';
import { Form, Text } from '../form.tsx';
import { Panel } from '../list.tsx';
import { countAttempt } from '../sign-in/limits.ts';
import { form, type Page, type Shown, type Visit } from '../visit.ts';

/** The form for a new password. */
export const MyPassword = () => (
  <Panel id="password" title="Password">
    <div class="body">
      <Form action="/settings/me/password" save="Change password" whole>
        <Text
          name="present"
          label="Current password"
          type="password"
          autocomplete="current-password"
          required
        />
        <Text
          name="password"
          label="New password"
          hint={`${passwordLength.least} characters or more. It signs you out everywhere else.`}
          type="password"
          autocomplete="new-password"
          required
        />
      </Form>
    </div>
  </Panel>
);

const changePassword = async (visit: Visit, fields: Fields) => {
  const { actor, session, request, address } = visit;
  await countAttempt(visit, session.member.email);
  const typed = { present: fields.raw('present') ?? '', wish: fields.raw('password') ?? '' };
  const browser = { address, agent: request.headers.get('user-agent') ?? '' };
  const token = await changeMyPassword(actor, session.member.email, typed, browser);
  const cookie = ownCookie(visit, 'session', token, sessionLimits.mostDays * 86_400);
  return { path: '/settings/me?saved=password#password', headers: { 'set-cookie': cookie } };
};

/** The form for a new password. After a refusal, `showMe` is shown again. */
export const passwordForms = (showMe: (visit: Visit) => Promise<Shown>): Page[] => [
  form('/settings/me/password', 'member', changePassword, showMe),
];
