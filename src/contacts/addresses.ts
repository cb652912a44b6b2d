import { invalidField } from '../base/refusal.ts';
import type { Email, Phone } from './table.ts';

/**
 * An address or number as it is sent: a string, or an object with a label and whether it is
 * primary.
 */
type Sent<Field extends string> =
  | string
  | ({ [Key in Field]: string } & { label?: string | null; isPrimary?: boolean });

/**
 * Email addresses as stored: trimmed; the first is primary unless one says so. Throws `Refusal` for
 * an empty one.
 */
export const emailsFrom = (sent: Sent<'address'>[]): Email[] =>
  partsOf('emails', 'address', sent).map(({ text, ...rest }) => ({ address: text, ...rest }));

/** Phone numbers as stored, by the same rules. */
export const phonesFrom = (sent: Sent<'number'>[]): Phone[] =>
  partsOf('phones', 'number', sent).map(({ text, ...rest }) => ({ number: text, ...rest }));

const emptyAt = (field: string) =>
  invalidField(field, 'is empty', 'Leave it out, or send what it should hold.');

const partsOf = <Field extends string>(list: string, field: Field, sent: Sent<Field>[]) => {
  const parts = sent.map((one, index) => {
    const at = typeof one === 'string' ? `${list}[${index}]` : `${list}[${index}].${field}`;
    const { label = null, isPrimary = false } = typeof one === 'string' ? {} : one;
    const text = (typeof one === 'string' ? one : one[field]).trim();
    if (!text) throw emptyAt(at);
    return { text, label: label?.trim() || null, isPrimary };
  });
  const said = parts.findIndex((one) => one.isPrimary);
  return parts.map((one, index) => ({ ...one, isPrimary: index === Math.max(said, 0) }));
};
