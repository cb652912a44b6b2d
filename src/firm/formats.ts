import { sql } from 'drizzle-orm';
import { changesBetween } from '../audit/entry.ts';
import { invalidField } from '../base/refusal.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { type Acting, write } from '../record/write.ts';
import { readFirm } from './firm.ts';
import { memberWithId } from './member.ts';
import { type Formats, firm, formatChoices, member } from './table.ts';

/** How days and times are written where neither the firm nor the member has chosen. */
export const usualFormats: Formats = { dayOrder: 'DMY', clock: '24', weekStart: 'MONDAY' };

/**
 * Sets how days and times are written for the acting member. What is left out follows the firm.
 * Throws `Refusal` invalid_request for a choice that there is not.
 */
export const chooseMyFormats = (actor: Acting, sent: Readonly<Record<string, string>>) =>
  write(actor, async (w) => {
    const formats = formatsFrom(sent);
    const [stored, now] = await Promise.all([memberWithId(w, String(w.memberId)), w.now()]);
    w.update(member, stored, { formats, updatedAt: now });
  });

/** Sets how days and times are written for the members who have not chosen. Throws `Refusal` alike. */
export const chooseFirmFormats = (actor: Acting, sent: Readonly<Record<string, string>>) =>
  write(actor, async (w) => {
    const formats = formatsFrom(sent);
    const stored = await readFirm(w);
    const changes = changesBetween({ formats: stored.formats }, { formats });
    if (Object.keys(changes).length === 0) return;
    void w.run(setFormats, { firmId: w.firmId, formats: JSON.stringify(formats) });
    w.record('update', firm, w.firmId, changes);
  });

const setFormats = statement(
  ({ firmId, formats }: Given<{ firmId: string; formats: string }>) =>
    sql`update firm set formats = ${formats}::jsonb where id = ${firmId}::uuid`,
);

const formatsFrom = (sent: Readonly<Record<string, string>>): Partial<Formats> =>
  Object.fromEntries(
    Object.entries(formatChoices).flatMap(([name, choices]) => {
      const chosen = sent[name];
      if (!chosen) return [];
      if ((choices as readonly string[]).includes(chosen)) return [[name, chosen]];
      throw invalidField(name, 'must be one of the choices');
    }),
  );
