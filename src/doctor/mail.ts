/** How mail stands: where it goes, and what keeps it from going. */
import { type SQL, sql } from 'drizzle-orm';
import type { Settings } from '../config.ts';
import { acrossFirms } from '../postgres/citus/forms.ts';
import type { Runs } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { type Finding, warning } from './finding.ts';

const mailPage = '/settings/mail';

/** Whether mail is set up, for one firm or for any, and what is wrong with it. */
export const examineMail = async (
  database: Runs,
  { mail, publicUrl }: Pick<Settings, 'mail' | 'publicUrl'>,
  firmId: string | null,
): Promise<{ isSet: boolean; findings: Finding[] }> => {
  const findings: Finding[] = [];
  const isSet = mail !== undefined || (await database.run(accounts, { firmId })).length > 0;
  if (isSet && !publicUrl) {
    const what =
      'Mails have no link to what they are about: the address of the application is not known.';
    const todo =
      'Set PUBLIC_URL to the address that browsers use, for example https://practice.harrow.example, and restart the server.';
    findings.push(warning(what, todo));
  }
  for (const { firm, waiting, failed, waitingWords, failedWords } of await database.run(troubles, {
    firmId,
  })) {
    const at = firmId === null ? ` at ${JSON.stringify(firm)}` : '';
    if (waiting > 0) {
      findings.push(
        warning(
          `${many(waiting)} waiting${at} for more than half an hour.${answer(waitingWords)}`,
          'An owner sends a test under Settings, Mail, and corrects the settings. The server goes on trying for a day.',
          mailPage,
        ),
      );
    }
    if (failed > 0) {
      findings.push(
        warning(
          `${many(failed)} not taken by the mail server${at} in the last week.${answer(failedWords)}`,
          'An owner sees why under Settings, Mail.',
          mailPage,
        ),
      );
    }
  }
  return { isSet, findings };
};

const many = (count: number) => (count === 1 ? '1 mail is' : `${count} mails are`);

const answer = (words: string | null) =>
  words ? ` The last answer: ${words.replace(/\.$/, '')}.` : '';

/** In one sentence, whether mail is set up on this server. */
export const wordsOfMail = ({ mail }: Pick<Settings, 'mail'>, isSet: boolean): string => {
  if (mail) return `Mails go to ${mail.host}, port ${mail.port}, from ${mail.from}.`;
  return isSet
    ? 'Mail is set up by a firm’s owner.'
    : 'No mail is set up: notices stay in the application.';
};

type OfFirm = Given<{ firmId: string | null }>;

const accounts = statement(
  ({ firmId }: OfFirm) => sql<{ firmId: string }>`
    select firm_id::text as "firmId" from mail_account
    where (${firmId}::uuid is null or firm_id = ${firmId}::uuid)${acrossFirms(sql`firm_id`, 'answer')} limit 1`,
);

type Trouble = {
  firm: string;
  waiting: number;
  failed: number;
  waitingWords: string | null;
  failedWords: string | null;
};

const lastWords = (isSo: SQL) => sql`
      (array_agg(words order by coalesce(ended_at, queued_at) desc)
        filter (where words is not null and ${isSo}))[1]`;

const isWaiting = sql.raw(`state = 'queued'`);
const isFailed = sql.raw(`state <> 'queued'`);

const troubles = statement(
  ({ firmId }: OfFirm) => sql<Trouble>`
    select firm.name as firm,
      count(*) filter (where ${isWaiting})::int as waiting,
      count(*) filter (where ${isFailed})::int as failed,
      ${lastWords(isWaiting)} as "waitingWords", ${lastWords(isFailed)} as "failedWords"
    from mail join firm on firm.id = mail.firm_id
    where (${firmId}::uuid is null or mail.firm_id = ${firmId}::uuid)
      and (state = 'queued' and queued_at < moment() - interval '30 minutes'
        or state in ('refused', 'given_up') and ended_at > moment() - interval '7 days')
      ${acrossFirms(sql`mail.firm_id`, 'answer')}
    group by firm.id, firm.name order by firm.name limit 20`,
);
