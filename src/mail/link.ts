/** Invitations and links for a new password that also go out by mail. */
import { sql } from 'drizzle-orm';
import { newId } from '../base/columns.ts';
import type { InstallationKey } from '../base/installation-key.ts';
import { type Seals, sealsOf } from '../base/seal.ts';
import { addMember, addressTaken, type NewMember } from '../firm/member.ts';
import type { Runs } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { type Acting, type Write, write } from '../record/write.ts';
import { createLink } from '../sign-in/invitation.ts';
import type { NewLink } from '../sign-in/link.ts';
import { isMailing } from './account.ts';
import type { PostedLink } from './letter.ts';

/** What links are mailed with; undefined where they are not. */
export type LinkPost = Seals | undefined;

/**
 * Links are mailed if the server knows its own address, and has a key: a token that waits for the mail
 * server lets somebody in, so it is stored sealed or not at all.
 */
export const linkPostOf = (
  publicUrl: string | undefined,
  key: InstallationKey | undefined,
): LinkPost => (publicUrl && key ? sealsOf(key) : undefined);

/** Whether links of this firm go out by mail now. */
export const areLinksMailed = async (reader: Reader, post: LinkPost): Promise<boolean> =>
  post !== undefined && (await isMailing(reader));

/** A link to hand over, and the address to which its mail is queued, if there is one. */
export type MailedLink = NewLink & { sentTo: string | undefined };

/** Makes a link for a member, and queues its mail in the same write. Throws `Refusal` as `createLink` does. */
export const createMailedLink = (
  actor: Acting,
  memberId: string,
  purpose: 'INVITE' | 'RESET',
  post: LinkPost,
): Promise<MailedLink> =>
  write(actor, async (w) => {
    const link = await createLink(w, memberId, purpose);
    return { ...link, sentTo: post && (await queueLink(w, memberId, link, post)) };
  });

/**
 * Adds a member, makes their invitation and queues its mail in one write. Throws `Refusal` as `addMember`
 * and `createLink` do.
 */
export const inviteMember = (actor: Acting, input: NewMember, post: LinkPost) =>
  write(actor, async (w) => {
    const member = await addMember(w, input);
    return { member, link: await createMailedLink(w, member.id, 'INVITE', post) };
  }).catch(addressTaken);

const queueLink = async (w: Write, memberId: string, link: NewLink, seals: Seals) => {
  const { firmId } = w;
  const id = newId();
  const token = await seals.seal(link.token, rowOfMail(firmId, id));
  const [queued] = await w.run(queue, { firmId, id, memberId, linkId: link.id, token });
  return queued?.address;
};

const rowOfMail = (firmId: string, id: string) => `mail ${firmId} ${id}`;

type Queued = { firmId: string; id: string; memberId: string; linkId: string; token: string };

const queue = statement(
  (given: Given<Queued>) => sql<{ address: string }>`
    with queued as (
      insert into mail (firm_id, id, member_id, kind, link_id, link_token, state, queued_at, next_try_at)
      select firm.id, ${given.id}::uuid, ${given.memberId}::uuid, 'link', ${given.linkId}::uuid,
        ${given.token}, 'queued', moment(), moment()
      from firm where firm.id = ${given.firmId}::uuid and firm.mails_since is not null
      returning firm_id, member_id)
    select member.email as address from queued
    join member on member.firm_id = queued.firm_id and member.id = queued.member_id
    where member.firm_id = ${given.firmId}::uuid`,
);

/**
 * What a queued mail of a link brings, and to whom; undefined if it is no such mail, if the link has ended
 * meanwhile, or if its token was sealed with another key.
 */
export const linkToPost = async (database: Runs, firmId: string, id: string, seals: Seals) => {
  const [found] = await database.run(linkOfMail, { firmId, id });
  const token = found && (await seals.open(found.sealed, rowOfMail(firmId, id)));
  return token ? { ...found, token } : undefined;
};

type Found = PostedLink & { address: string; sealed: string };

const linkOfMail = statement(
  ({ firmId, id }: Given<'firmId' | 'id'>) => sql<Found>`
    select member.email as address, mail.link_token as sealed, firm.name as "firmName", link.purpose
    from mail
    join firm on firm.id = mail.firm_id
    join member on member.firm_id = mail.firm_id and member.id = mail.member_id
    join sign_in_link link on link.firm_id = mail.firm_id and link.id = mail.link_id
    where mail.firm_id = ${firmId}::uuid and mail.id = ${id}::uuid and mail.link_token is not null
      and link.used_at is null and link.expires_at > moment() and member.deactivated_at is null`,
);
