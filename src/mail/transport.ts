/** One mail to one mail server, and what the server said. */
import { isLocalHost, type MailAccount } from '../base/mail-settings.ts';
import { Refusal } from '../base/refusal.ts';
import type { EventMethod } from './table.ts';
import { forgetToken, tokenOf } from './token.ts';
import { oneLine, withoutSecrets } from './words.ts';

/** A mail as it is written. `page` is where its reader can choose what comes by mail. */
export type Letter = {
  to: string;
  subject: string;
  text: string;
  html: string;
  messageId?: string;
  page?: string | undefined;
  /** What it asks the calendar of its reader to do. */
  calendar?: { method: EventMethod; content: string };
};

/**
 * How a try ended. `later`: this mail was put off. `unreachable`: no mail can be sent now. `code` is the
 * server's, if it said one.
 */
export type Sent = {
  outcome: 'accepted' | 'refused' | 'later' | 'unreachable';
  code: number | null;
  words: string;
};

/** Shorter than another try waits (`queue.ts`). */
const usualMilliseconds = 45_000;

type Ways = {
  /** Told a refresh token that replaces the present one. */
  renewed?: (refreshToken: string) => Promise<void>;
  /** How long all of it may take. */
  milliseconds?: number;
};

/**
 * Sends a mail, encrypted unless the server is on this machine, and with its certificate checked. Never
 * throws. What it returns holds no secret.
 */
export const sendLetter = async (
  account: MailAccount,
  letter: Letter,
  { renewed = async () => {}, milliseconds = usualMilliseconds }: Ways = {},
): Promise<Sent> => {
  if (!isSendable(letter.to)) {
    return { outcome: 'refused', code: null, words: 'An address cannot have < or > within it.' };
  }
  const secrets = secretsOf(account);
  try {
    const auth = await authOf(account, renewed);
    if (auth?.accessToken) secrets.push(auth.accessToken);
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({ ...optionsOf(account), ...(auth && { auth }) });
    try {
      const { response } = await transport.sendMail({
        from: { name: '', address: account.from },
        to: { name: '', address: letter.to },
        subject: letter.subject,
        text: letter.text,
        html: letter.html,
        ...(letter.calendar && {
          icalEvent: { ...letter.calendar, filename: 'invitation.ics' },
        }),
        ...(letter.messageId && { messageId: letter.messageId }),
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
        ...(letter.page && { list: { unsubscribe: { url: letter.page } } }),
        disableFileAccess: true,
        disableUrlAccess: true,
        signal: AbortSignal.timeout(milliseconds),
      });
      const words = oneLine(withoutSecrets(response ?? '', secrets));
      return { outcome: 'accepted', code: codeOf(words), words };
    } finally {
      transport.close();
    }
  } catch (error) {
    return failureOf(error, account, secrets);
  }
};

/** nodemailer takes a blank for each < and >, so that the mail would go to another address than the one given. */
const isSendable = (address: string) => /^<?[^<>]+>?$/.test(address);

const optionsOf = ({ host, port, security }: MailAccount) => ({
  host,
  port,
  secure: security === 'tls',
  requireTLS: security === 'starttls' && !isLocalHost(host),
  tls: { minVersion: 'TLSv1.2' as const, rejectUnauthorized: !isLocalHost(host) },
  connectionTimeout: 15_000,
  greetingTimeout: 15_000,
  socketTimeout: 30_000,
});

const authOf = async (
  { signIn }: MailAccount,
  renewed: (refreshToken: string) => Promise<void>,
) => {
  if (signIn.by === 'nothing') return undefined;
  const { user } = signIn;
  if (signIn.by === 'password') return { user, pass: signIn.password };
  return { type: 'OAuth2' as const, user, accessToken: await tokenOf(signIn.tokens, renewed) };
};

const secretsOf = ({ signIn }: MailAccount): string[] => {
  if (signIn.by === 'password') return [signIn.password, `\0${signIn.user}\0${signIn.password}`];
  if (signIn.by === 'token') return [signIn.tokens.clientSecret, signIn.tokens.refreshToken];
  return [];
};

/** What nodemailer throws. */
type Failure = {
  name?: string;
  code?: string;
  command?: string;
  responseCode?: number;
  response?: string;
};

/** Commands about this one mail. A refusal of any other is about how mail is set up. */
const ofThisMail = ['MAIL FROM', 'RCPT TO', 'DATA'];

const failureOf = (error: unknown, { signIn }: MailAccount, secrets: string[]): Sent => {
  const failure = error as Failure;
  const { command = '', responseCode = 0, response } = failure;
  const said = response ?? (error instanceof Error ? error.message : String(error));
  const words = oneLine(withoutSecrets(said, secrets));
  const code = responseCode || null;
  if (error instanceof Refusal) return { outcome: 'unreachable', code, words };
  // It does not know STARTTLS: its code says nothing about whom it lets in.
  if (failure.code === 'ETLS') return { outcome: 'unreachable', code: null, words };
  if (responseCode === 535 && signIn.by === 'token') forgetToken(signIn.tokens);
  // It hung up in the middle, perhaps because of this mail.
  if (failure.code === 'ECONNECTION') return { outcome: 'later', code, words };
  // It does not answer, and will not answer other mails either.
  if (failure.code === 'ETIMEDOUT' || failure.name === 'AbortError')
    return { outcome: 'unreachable', code, words };
  if (!ofThisMail.includes(command)) return { outcome: 'unreachable', code, words };
  return { outcome: responseCode >= 500 ? 'refused' : 'later', code, words };
};

const codeOf = (words: string) => Number(/^\d{3}/.exec(words)?.[0]) || null;
