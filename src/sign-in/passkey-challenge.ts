import { sql } from 'drizzle-orm';
import { digestOf } from '../api-keys/secret.ts';
import { noFirm } from '../base/columns.ts';
import { Refusal } from '../base/refusal.ts';
import type { Runs } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';

const challengeMinutes = 5;

export type Holder = { firmId: string; memberId: string };

/** At the beginning of a sign-in it is not known who signs in. */
export const nobody = { firmId: noFirm, memberId: '' };

/** A challenge is good for one member: another one's answer finds no row. */
const digestFor = ({ memberId }: Holder, challenge: string) => digestOf(`${memberId} ${challenge}`);

/** Stores a new challenge for a few minutes. */
export const keepChallenge = async (database: Runs, holder: Holder, challenge: string) => {
  const digest = digestFor(holder, challenge);
  await database.run(storeChallenge, { firmId: holder.firmId, digest });
};

/** Uses up a challenge, also if the answer is refused later. Throws `Refusal` unauthorized. */
export const takeChallenge = async (database: Runs, holder: Holder, challenge: string) => {
  const digest = digestFor(holder, challenge);
  const taken = await database.first(takeStored, { firmId: holder.firmId, digest });
  if (!taken) throw notAccepted();
};

/** A browser's answer, with the challenge that it has signed. */
export const answerIn = <Answer extends { response: { clientDataJSON: string } }>(text: string) => {
  if (text === '') throw new Refusal('conflict', 'A passkey needs a browser that runs scripts.');
  try {
    const answer = JSON.parse(text) as Answer;
    const signed = Buffer.from(answer.response.clientDataJSON, 'base64url').toString();
    const { challenge } = JSON.parse(signed) as { challenge: unknown };
    if (typeof challenge === 'string') return { answer, challenge };
  } catch {
    // No browser sends this.
  }
  throw notAccepted();
};

/** One wording for every mistake, so that nobody learns which passkeys are known. */
export const notAccepted = () =>
  new Refusal('unauthorized', 'This passkey was not accepted. Try again, or use your password.');

type Challenge = { firmId: string; digest: Buffer };

const storeChallenge = statement(
  ({ firmId, digest }: Given<Challenge>) => sql`
    insert into passkey_challenge (firm_id, digest, expires_at)
    values (${firmId}::uuid, ${digest}, moment() + interval '${sql.raw(String(challengeMinutes))} minutes')`,
);

const takeStored = statement(
  ({ firmId, digest }: Given<Challenge>) => sql<{ isGood: boolean }>`
    delete from passkey_challenge where firm_id = ${firmId}::uuid and digest = ${digest}
      and expires_at > moment()
    returning true as "isGood"`,
);
