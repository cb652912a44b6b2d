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
  const words = notice.kind === 'account.warned' ? notice.text : namesOf(notice);
  return letterWith({
    to,
    subject: isOfOneRecord(notice) ? inOneLine(notice) : marked(notice),
    lines: [
      `${sentenceOf(notice)}.`,
      ...(words ? [words] : []),
      ...(notice.waiting > 0 ? [notConfirmed(notice)] : []),
    ],
    link: publicUrl && `${publicUrl}${isOfSeveralDates(notice) ? '/inbox' : targetOf(notice)}`,
    doing: doingOf(notice),
    ...(asksOne(notice) && { there: 'Press "I have it" there.' }),
    publicUrl,
  });
};

/** `A limitation date is 7 days away`, of a `Limitation date in 7 days`; other titles are sentences enough. */
const sentenceOf = ({ kind, title }: Noticed) =>
  kind === 'limitation.near'
    ? title
        .replace(/^Limitation date in (\d+) days/, 'A limitation date is $1 days away')
        .replace(/^Limitation date /, 'A limitation date is ')
    : title;

/** What the notice names, if mails may. Of several tasks it names none. */
const namesOf = ({ kind, recordId, mailsName, text }: Noticed) =>
  mailsName && !(kind === 'task.assigned' && recordId === null) ? text : '';

/** Whether the text of a notice is the name of a record, and no sentence. */
const isOfOneRecord = ({ kind, recordId }: Noticed) =>
  recordId !== null && kind !== 'mail.refused' && kind !== 'webhook.paused';

/** `Limitation date tomorrow: Mon 3 May 2027, M-2027-0001 Quill v. Roe`; without the names if mails may not hold them. */
const inOneLine = (notice: Noticed) => {
  const title = marked(notice);
  return [title, namesOf(notice)].filter(Boolean).join(title.includes(': ') ? ', ' : ': ');
};

/** Several dates are each acknowledged in the inbox. */
const isOfSeveralDates = ({ kind, recordId }: Noticed) =>
  recordId === null && (kind === 'task.assigned' || asking.includes(kind));

/** What the link of a notice is for, which does not always lead to what the notice is about. */
const doingOf = ({ kind, recordId }: Noticed) => {
  if (kind === 'account.warned') return 'Open My settings';
  if (kind === 'event.cancelled') return openCalendar;
  if (kind === 'matter.deleted') return 'Open the matters';
  if (kind === 'mail.refused') {
    return recordId === null ? 'Open the mail settings' : 'Open the member’s page';
  }
  if (recordId === null) {
    return asking.includes(kind) ? 'Open them and press "I have it" for each' : 'Open them';
  }
  return 'Open it';
};

/** Whether it asks for the receipt of one date. */
const asksOne = ({ kind, recordId }: Noticed) => recordId !== null && asking.includes(kind);

/** What the link is for of an event that is no more. */
export const openCalendar = 'Open the calendar';

// These ask for a receipt.
const asking: readonly NotificationKind[] = [
  'limitation.near',
  'limitation.unheld',
  'task.unheld',
  'event.unheld',
];

/** `Task assigned to you (not confirmed)`, if its date waits for a second person; of several, how many do. */
const marked = ({ title, recordId, waiting }: Noticed) => {
  if (waiting === 0) return title;
  return recordId === null ? `${title} (${waiting} not confirmed)` : waitingTitle(title);
};

/** The subject of a mail about one date that waits for a second person. */
export const waitingTitle = (title: string) => `${title} (not confirmed)`;

const notConfirmed = ({ recordId, waiting }: Noticed) => {
  if (recordId !== null) return waitingWords;
  return waiting === 1
    ? 'One of the dates is not confirmed: a second person must still check it.'
    : `${waiting} of the dates are not confirmed: a second person must still check them.`;
};

/** What a mail says of one date that waits for a second person. */
export const waitingWords = 'The date is not confirmed: a second person must still check it.';

/** The mail of a morning: its notices, each in a line, and of those beyond them only how many they are. */
export const letterOfMorning = (
  notices: readonly (Noticed & { total: number })[],
  to: string,
  publicUrl: string | undefined,
  dates?: Dates,
): Letter => {
  const total = notices[0]?.total ?? 0;
  const more = total - notices.length;
  return letterWith({
    to,
    subject:
      notices.length === 0
        ? `The dates this morning${dates ? `: ${datesInShort(dates)}` : ''}`
        : `${counted(total, 'notice')} this morning`,
    lines: dates ? [datesInWords(dates)] : [],
    items: [...notices.map(inOneLine), ...(more > 0 ? [`${more} more in the inbox`] : [])],
    link: publicUrl && `${publicUrl}${notices.length === 0 ? '/' : '/inbox'}`,
    ...(notices.length > 0 && { doing: 'Open the inbox' }),
    publicUrl,
    ...(dates && { last: 'If this message stops, ask why.' }),
  });
};

/** `nothing overdue`, `1 overdue, 2 not acknowledged`. */
const datesInShort = ({ pastDates, lateTasks, coming, acknowledged }: Dates): string => {
  const [late, open] = [pastDates + lateTasks, coming - acknowledged];
  const overdue = late === 0 ? 'nothing overdue' : `${late} overdue`;
  return open === 0 ? overdue : `${overdue}, ${open} not acknowledged`;
};

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
  const [all, some] = coming === 1 ? ['', 'not '] : ['all ', `${open} not `];
  return `${overdue} ${counted(coming, 'date')} in the next fortnight; ${open === 0 ? all : some}acknowledged.`;
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
            'If you did not ask for this link, tell an owner of your firm.',
          ],
          link,
          doing: 'Choose a new password',
        }
      : {
          to,
          subject: `${firmName} invites you to Matterhorn`,
          lines: [
            `${firmName} keeps its matters and dates in Matterhorn, and has an account there for you. With this link you choose your password. It works once, for 7 days.`,
          ],
          link,
          doing: 'Choose a password',
        },
  );

type Written = {
  to: string;
  subject: string;
  lines: readonly string[];
  /** After them, a list. */
  items?: readonly string[];
  link?: string | undefined;
  /** What the link is for. */
  doing?: string;
  /** What to do there. */
  there?: string;
  /** The very last line. */
  last?: string;
  /** Where the application is; without it, the mail does not say where its reader chooses what comes. */
  publicUrl?: string | undefined;
  /** Whether its reader is from outside, who cannot sign in. */
  isPublic?: boolean;
};

/** A mail of a few lines, a list if there is one, and one link, as text and as the same in HTML. */
export const letterWith = ({
  to,
  subject,
  lines,
  items = [],
  link,
  doing = 'Open Matterhorn',
  there,
  publicUrl,
  isPublic = false,
  last,
}: Written): Letter => {
  const page = publicUrl && `${publicUrl}/settings/me#notifications`;
  const ending = page ? `You choose what comes by mail in My settings.` : '';
  const closing = isPublic ? '' : openIt;
  const hint = link && there;
  const list = items.map((item) => `- ${item}`).join('\n');
  const text = [...lines, list, link ? `${doing}: ${link}` : closing, hint, ending, last].filter(
    Boolean,
  );
  const html = [
    ...lines.map(paragraph),
    ...(items.length > 0
      ? [
          `<ul style="padding-left:20px">${items.map((item) => `<li>${escaped(item)}</li>`).join('')}</ul>`,
        ]
      : []),
    link ? `<p><a href="${escaped(link)}">${doing}</a></p>` : closing && paragraph(closing),
    ...(hint ? [paragraph(hint)] : []),
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
