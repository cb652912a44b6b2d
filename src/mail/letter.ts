/** What a mail says. Without the firm's leave, it names nobody and no matter: whoever reads mails may be anybody. */
import type { NotificationKind } from '../notifications/table.ts';
import { targetOf } from '../notifications/target.ts';
import type { LinkPurpose } from '../sign-in/table.ts';
import type { Letter } from './transport.ts';

/** A notice to be sent by mail. */
export type Noticed = {
  kind: NotificationKind;
  recordId: string | null;
  title: string;
  text: string;
  /** Whether the firm lets mails name people and matters. */
  mailsName: boolean;
  /** How many of its dates wait for a second person. */
  waiting: number;
};

/** How the firm's dates stand. An owner reads it each working day. */
export type Dates = {
  address: string;
  /** Limitation dates that are past and not met, and open tasks of the days before. */
  pastDates: number;
  lateTasks: number;
  /** Limitation dates of the next fortnight, and those that somebody has. */
  coming: number;
  acknowledged: number;
};

/** The mail of a notice. `publicUrl` is where the application is; without it, the mail has no link. */
export const letterOf = (notice: Noticed, to: string, publicUrl: string | undefined): Letter => {
  // A warning about an account names nobody.
  const saysAll = notice.mailsName || notice.kind === 'account.warned';
  return letterWith({
    to,
    subject: marked(notice.title, notice),
    lines: [
      `${notice.title}.`,
      ...(saysAll ? [notice.text] : []),
      ...(notice.waiting > 0 ? [notConfirmed(notice)] : []),
    ],
    link: publicUrl && `${publicUrl}${isOfSeveralDates(notice) ? '/inbox' : targetOf(notice)}`,
    doing: doingOf(notice),
    publicUrl,
  });
};

/** Several dates are each acknowledged in the inbox. */
const isOfSeveralDates = ({ kind, recordId }: Noticed) =>
  recordId === null && (kind === 'task.assigned' || asking.includes(kind));

/** What the link of a notice is for. These ask for a receipt. */
const doingOf = ({ kind, recordId }: Noticed) => {
  if (recordId === null) {
    return asking.includes(kind) ? 'Open them and press "I have it" for each' : 'Open them';
  }
  return asking.includes(kind) ? 'Open it and press "I have it"' : 'Open it';
};

const asking: readonly NotificationKind[] = [
  'limitation.near',
  'limitation.unheld',
  'task.unheld',
  'event.unheld',
];

/** `Task assigned to you (not confirmed)`, if its date waits for a second person; of several, how many do. */
const marked = (words: string, { recordId, waiting }: Noticed) => {
  if (waiting === 0) return words;
  return `${words} (${recordId === null ? `${waiting} ` : ''}not confirmed)`;
};

const notConfirmed = ({ recordId, waiting }: Noticed) => {
  if (recordId !== null) return waitingWords;
  return waiting === 1
    ? 'One of the dates is not confirmed: a second person has yet to check it.'
    : `${waiting} of the dates are not confirmed: a second person has yet to check them.`;
};

/** What a mail says of one date that waits for a second person. */
export const waitingWords = 'The date is not confirmed: a second person has yet to check it.';

/** The mail of a morning: its notices, each in a line. */
export const letterOfMorning = (
  notices: readonly Noticed[],
  to: string,
  publicUrl: string | undefined,
  dates?: Dates,
): Letter =>
  letterWith({
    to,
    subject:
      notices.length === 0
        ? 'The dates this morning'
        : `${counted(notices.length, 'notice')} this morning`,
    lines: [
      ...(dates ? [datesInWords(dates)] : []),
      ...notices.map((notice) => {
        const { title, text, mailsName } = notice;
        return marked(mailsName ? `${title}: ${text}` : title, notice);
      }),
    ],
    link: publicUrl && `${publicUrl}${notices.length === 0 ? '/' : '/inbox'}`,
    publicUrl,
    ...(dates && { last: 'If this message stops, ask why.' }),
  });

/** `Nothing is overdue. 14 dates in the next fortnight; all acknowledged.` */
const datesInWords = ({ pastDates, lateTasks, coming, acknowledged }: Dates): string => {
  const late = [
    ...(pastDates > 0 ? [counted(pastDates, 'limitation date')] : []),
    ...(lateTasks > 0 ? [counted(lateTasks, 'task')] : []),
  ].join(' and ');
  const overdue = late
    ? `${late} ${pastDates + lateTasks === 1 ? 'is' : 'are'} overdue.`
    : 'Nothing is overdue.';
  if (coming === 0) return `${overdue} No limitation date in the next fortnight.`;
  const open = coming - acknowledged;
  return `${overdue} ${counted(coming, 'date')} in the next fortnight; ${open === 0 ? 'all' : `${open} not`} acknowledged.`;
};

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** A link to be sent by mail: the firm that it leads to, and what it is for. */
export type PostedLink = { firmName: string; purpose: LinkPurpose };

/** The mail of a link. It names nobody but the firm. */
export const letterOfLink = ({ firmName, purpose }: PostedLink, to: string, link: string): Letter =>
  letterWith(
    purpose === 'RESET'
      ? {
          to,
          subject: 'A link for a new password',
          lines: [
            `With this link you choose a new password at ${firmName}. It works once, for an hour, and signs you out everywhere else.`,
            'If you did not ask for it, tell an owner of your firm.',
          ],
          link,
          doing: 'Choose a new password',
        }
      : {
          to,
          subject: 'Your invitation to Matterhorn',
          lines: [
            `${firmName} invites you to Matterhorn. With this link you choose your password. It works once, for 7 days.`,
          ],
          link,
          doing: 'Choose a password',
        },
  );

type Written = {
  to: string;
  subject: string;
  lines: readonly string[];
  link?: string | undefined;
  /** What the link is for. */
  doing?: string;
  /** The very last line. */
  last?: string;
  /** Where the application is; without it, the mail does not say where its reader chooses what comes. */
  publicUrl?: string | undefined;
  /** Whether its reader is from outside, who cannot sign in. */
  isPublic?: boolean;
};

/** A mail of a few lines and one link, as text and as the same in HTML. */
export const letterWith = ({
  to,
  subject,
  lines,
  link,
  doing = 'Open it',
  publicUrl,
  isPublic = false,
  last,
}: Written): Letter => {
  const page = publicUrl && `${publicUrl}/settings/me#notifications`;
  const ending = page ? `You choose what comes by mail in My settings.` : '';
  const closing = isPublic ? '' : openIt;
  const text = [...lines, link ? `${doing}: ${link}` : closing, ending, last].filter(Boolean);
  const html = [
    ...lines.map(paragraph),
    link ? `<p><a href="${escaped(link)}">${doing}</a></p>` : closing && paragraph(closing),
    ...(ending ? [paragraph(ending)] : []),
    ...(last ? [paragraph(last)] : []),
  ];
  return {
    to,
    subject: onOneLine(subject),
    text: `${text.join('\n\n')}\n`,
    html: `${htmlHead}<body style="${bodyStyle}">${html.join('')}</body></html>`,
    page,
  };
};

/** Mail programs that can show both know that it may be dark. */
const htmlHead =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"></head>';

const bodyStyle = 'font:16px/1.5 system-ui,sans-serif;max-width:36em;margin:24px';

const openIt = 'Sign in to Matterhorn to read more.';

const paragraph = (text: string) => `<p>${escaped(text)}</p>`;

const escaped = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

const onOneLine = (text: string) => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
