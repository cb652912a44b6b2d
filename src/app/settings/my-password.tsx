/** @jsxImportSource preact */
import { changeMyPassword } from '../../sign-in/sign-in.ts';
import type { Fields } from '../fields.ts';
import { Form } from '../form.tsx';
import { Panel } from '../list.tsx';
import { Secret } from '../secret.tsx';
import { browserOf, sessionCookies } from '../sign-in/go-in.ts';
import { countProof } from '../sign-in/limits.ts';
import { knownPassword, NewPassword, signsOutElsewhere } from '../sign-in/passwords.tsx';
import { form, type Page, type ShownPage, type Visit } from '../visit.ts';

export const MyPassword = () => (
  <Panel id="password" title="Password">
    <div class="body">
      <Form action="/settings/me/password" save="Change password" whole>
        <Secret {...knownPassword} name="present" label="Current password" />
        <NewPassword label="New password" hint={signsOutElsewhere} />
      </Form>
    </div>
  </Panel>
);

const changePassword = async (visit: Visit, fields: Fields) => {
  const { actor, session } = visit;
  const guess = await countProof(visit);
  const typed = { present: fields.raw('present') ?? '', password: fields.raw('password') ?? '' };
  const token = await changeMyPassword(actor, session.member.email, typed, browserOf(visit));
  await guess.succeeded();
  const cookies = await sessionCookies(visit, token);
  return { path: '/settings/me?saved=password#password', headers: { 'set-cookie': cookies } };
};

/** The form for a new password. After a refusal, `mePage` is shown again. */
export const passwordForms = (mePage: ShownPage): Page[] => [
  form('/settings/me/password', 'member', changePassword, mePage),
];
