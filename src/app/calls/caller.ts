import { shortened } from '../sentence.ts';

// As people write a number, with what is dialled after it; not the number of a record, M-2026-0012.
const numberIn =
  /(?<![\p{L}\p{Nd}][\p{Pd}]?)\+?[(\p{Nd}][+\p{Nd}\s()/.\p{Pd}]{3,40}\p{Nd}(?:\s*(?:ext(?:ension|\.)?|x|#)\s*\p{Nd}{1,6})?(?![\p{L}\p{Nd}])/iu;

/**
 * Who called, as it is typed into one field: a name, a phone number, or both. What has no letter names nobody: it is a
 * number.
 */
export const callerIn = (who: string): { name: string; phone: string } => {
  if (!/\p{L}/u.test(who)) return { name: '', phone: who.trim() };
  const [phone = ''] = numberIn.exec(who) ?? [];
  const name = who.replace(phone, ' ').replace(/\s+/g, ' ');
  return { name: name.replace(/^[\s,;:]+|[\s,;:]+$/g, ''), phone: phone.trim() };
};

/** The offer to make a lead of somebody whom nobody knows. */
export const createWords = (who: string): string => {
  const { name } = callerIn(who);
  return name ? `Create a lead named “${shortened(name)}”` : 'Create a lead';
};

/** That nobody is known by this name or number, over the offer. */
export const nobodyWords = (who: string): string =>
  `Nobody ${callerIn(who).name ? 'is called' : 'has'} “${shortened(who.trim())}”`;

/** Where a call is sent that becomes a new lead. */
export const leadOfCall = '/leads/of-call';

/** The draft of a call with somebody who is not named by the page. */
export const draftOfCall = 'call:';
