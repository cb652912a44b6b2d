import { t } from 'elysia';
import { answerOf, idOut, nameOut } from '../base/shapes.ts';

/** A member of the firm, as GET /v1/members shows them. */
export const memberRow = answerOf('Member', {
  id: idOut(),
  name: nameOut(),
  email: nameOut('In lower case.'),
  role: nameOut("The role's name."),
  isActive: t.Boolean({ description: 'Whether they can sign in, and their keys work.' }),
});
