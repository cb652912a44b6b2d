/** Ways to send a form of a page that it refuses. */
import { type FoundForm, sentBy } from './crawl.ts';

type Sent = Record<string, string | string[]>;

/** Ways to send a form that are refused: emptied, with what no list offers, too long, after another edit. */
export const ways = [
  function emptied(form: FoundForm) {
    return replaced(form, ({ isTyped }) => (isTyped ? '' : undefined));
  },
  function unoffered(form: FoundForm) {
    const sent = replaced(form, ({ name, isTyped }) =>
      name === 'do' || isTyped ? undefined : 'bogus',
    );
    return { ...sent, to: 'bogus' };
  },
  function tooLong(form: FoundForm) {
    return replaced(form, ({ isTyped }) => (isTyped ? 'q'.repeat(300) : undefined));
  },
  function afterAnother(form: FoundForm) {
    const sent = replaced(form, ({ isTyped }) => (isTyped ? 'changed' : undefined));
    return { ...sent, to: 'bogus', present: 'bogus' };
  },
];

/** What the form sends, but for the fields that a way fills. What it held at first is never sent: it has names. */
const replaced = (
  form: FoundForm,
  by: (field: FoundForm['fields'][number]) => string | undefined,
) => {
  const sent: Sent = sentBy(form);
  for (const field of form.fields) {
    const value = field.name.startsWith('was.') ? 'held before' : by(field);
    if (value !== undefined) sent[field.name] = value;
  }
  return sent;
};
