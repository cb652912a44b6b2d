import { t } from 'elysia';
import { answerOf, idOut, momentText, nameOut, nullable, published } from '../base/shapes.ts';

const scopesOut = (description: string) =>
  t.Array(nameOut(), { description, ...published({ maxItems: 100 }) });

/** Who calls, as GET /v1/me shows it. */
export const selfShape = answerOf('Me', {
  firm: answerOf('MyFirm', {
    id: idOut(),
    name: nameOut(),
    timeZone: nameOut('Its IANA name. The days of the firm begin at midnight there.'),
  }),
  member: answerOf('MyMember', {
    id: idOut(),
    name: nameOut(),
    email: nameOut(),
    role: nameOut("The role's name."),
  }),
  key: answerOf('MyKey', {
    id: idOut(),
    prefix: nameOut('Its first eight characters.'),
    scopes: scopesOut('What it was made for.'),
    expiresAt: nullable(momentText()),
  }),
  scopes: scopesOut("What it may do now: its scopes, as far as the member's role allows them."),
});

export type Self = typeof selfShape.static;
