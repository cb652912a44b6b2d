/** How mail is sent: MAIL_URL and MAIL_FROM, or what a firm has set for itself. */
import { invalid } from './refusal.ts';

/** How the mail server is told who sends: nothing (a relay), a password, or a token (XOAUTH2). */
export type MailSignIn =
  | { by: 'nothing' }
  | { by: 'password'; user: string; password: string }
  | { by: 'token'; user: string; tokens: TokenSource };

/** Where tokens come from: with a refresh token, or else with client credentials. */
export type TokenSource = {
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  scope: string;
  refreshToken: string;
};

/** A mail server, and the address that mails come from. */
export type MailAccount = {
  host: string;
  port: number;
  /** `starttls` begins in the clear and insists on STARTTLS; `tls` is encrypted from the first byte. */
  security: 'starttls' | 'tls';
  from: string;
  signIn: MailSignIn;
};

/** Whether a host is this machine itself: nobody listens on the way to it. */
export const isLocalHost = (host: string) =>
  /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i.test(host);

/** Whether a text can be the name or the address of a mail server. */
export const isMailHost = (text: string) =>
  text.length <= 253 && /^[a-z\d]([a-z\d._-]*[a-z\d])?$|^[\da-f:]*:[\da-f:]*$/i.test(text);

/** Whether a text can be the address that mails come from: no name beside it, and nothing that could begin a header. */
export const isSenderAddress = (text: string) =>
  text.length <= 254 && /^[^\s@<>"(),:;\\\p{C}]+@[^\s@<>"(),:;\\\p{C}]+$/u.test(text);

type Environment = Record<string, string | undefined>;

/** Reads the settings; undefined without MAIL_URL. Throws `Refusal` that names the wrong one and what it takes. */
export const mailFrom = ({ MAIL_URL, MAIL_FROM }: Environment): MailAccount | undefined => {
  if (!MAIL_URL && !MAIL_FROM) return undefined;
  const url = /^smtps?:\/\//i.test(MAIL_URL ?? '') ? URL.parse(MAIL_URL ?? '') : null;
  const isWhole = url && url.pathname.replace('/', '') === '' && !url.search && !url.hash;
  const host = url?.hostname.replace(/^\[|\]$/g, '') ?? '';
  if (!isWhole || !isMailHost(host)) {
    throw invalid(
      'MAIL_URL must be an address like smtp://user:password@mail.harrow.example:587, or smtps://; in user and password @ is %40, / is %2F, : is %3A and % itself is %25.',
    );
  }
  if (!MAIL_FROM || !isSenderAddress(MAIL_FROM)) {
    throw invalid(
      'MAIL_FROM must be the address that mails come from, for example office@harrow.example.',
    );
  }
  const security = url.protocol.toLowerCase() === 'smtps:' ? 'tls' : 'starttls';
  const [user, password] = [decoded(url.username), decoded(url.password)];
  return {
    host,
    port: Number(url.port) || usualPort(security),
    security,
    from: MAIL_FROM,
    signIn: user ? { by: 'password', user, password } : { by: 'nothing' },
  };
};

/** The port of a mail server that takes mails from its users. */
export const usualPort = (security: MailAccount['security']) => (security === 'tls' ? 465 : 587);

const decoded = (part: string) => {
  try {
    return decodeURIComponent(part);
  } catch {
    throw invalid('MAIL_URL holds a % that begins no code: % itself is %25.');
  }
};
