/** Who called, as it is typed into one field: a name, a phone number, or both. */
export const callerIn = (who: string): { name: string; phone: string } => {
  const [phone = ''] = /\+?[(\d][\d\s()/.-]{3,}\d/.exec(who) ?? [];
  const name = who.replace(phone, ' ').replace(/\s+/g, ' ');
  return { name: name.replace(/^[\s,;:]+|[\s,;:]+$/g, ''), phone: phone.trim() };
};

/** The offer to make a lead of somebody whom nobody knows. */
export const createWords = (who: string): string => {
  const { name } = callerIn(who);
  return name ? `Create a lead named “${name}”` : 'Create a lead';
};

/** Where a call is sent that becomes a new lead. */
export const leadOfCall = '/leads/of-call';

/** The draft of a call with somebody who is not named by the page. */
export const draftOfCall = 'call:';
