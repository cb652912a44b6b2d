import { Refusal } from '../base/refusal.ts';
import type { Reader } from '../record/actor.ts';
import { lastChangeOf } from '../record/last-change.ts';
import { type Fields, originalName } from './fields.ts';
import type { Guard, Texts, Visit } from './visit.ts';

/**
 * The visit and the fields with which a form's change undoes nobody's. Throws `Refusal` conflict,
 * with the present values, if somebody else changed what the form changes too. The write checks it
 * again.
 */
export const withConflictCheck = async (
  visit: Visit,
  sent: Fields,
  guard: Guard,
): Promise<{ visit: Visit; fields: Fields }> => {
  if (!sent.names.some((name) => name.startsWith(originalName('')))) return { visit, fields: sent };
  const whole = typeof guard === 'function' ? undefined : guard;
  const now = typeof guard === 'function' ? guard : guard.now;
  const read = (reader: Reader) => now(reader, visit, sent);
  const fields = whole ? sent : await merged(visit, sent, await read(visit.actor));
  const mine = whole?.sent(sent);
  const precondition = async (reader: Reader) => {
    const held = await read(reader);
    const changed = Object.keys(mine ?? held).filter((name) => {
      const [began, text] = [fields.raw(originalName(name)), mine?.[name] ?? fields.raw(name)];
      return began !== undefined && began !== held[name] && text !== held[name];
    });
    if (changed.length === 0) return;
    const words = await whole?.words?.(reader, changed, sent);
    throw words ? new Refusal('conflict', words) : await conflict(reader, visit, changed, held);
  };
  return { visit: { ...visit, actor: { ...visit.actor, precondition } }, fields };
};

/** Whether a change was refused because somebody else was faster. */
export const isConflict = (error: unknown): boolean =>
  error instanceof Refusal && error.faults.some(({ now }) => now !== undefined);

const conflict = async (
  reader: Reader,
  visit: Visit,
  changed: readonly string[],
  held: Texts,
): Promise<Refusal> => {
  const faults = changed.map(async (field) => ({
    field,
    rule: 'changed in the meantime',
    now: held[field] ?? '',
    by: await whoChanged(reader, visit, field, held[field] ?? ''),
  }));
  return new Refusal(
    'conflict',
    'Somebody else changed this in the meantime. Choose which version to keep.',
    {},
    await Promise.all(faults),
  );
};

/** Who last changed a field of the record of the page; undefined if the audit log does not tell. */
const whoChanged = async (reader: Reader, { parameters }: Visit, field: string, now: string) => {
  const { id } = parameters as Record<string, string | undefined>;
  if (!id) return undefined;
  // The firm's own fields are one entry of the log.
  const last = field.startsWith('customFields.')
    ? await lastChangeOf(reader, id, 'customFields', now)
    : await lastChangeOf(reader, id, auditNames[field] ?? field);
  // Colleagues go by their first names; a program has its key's whole name.
  const name = last?.keyName ?? last?.memberName?.split(' ')[0];
  const isSelf = last?.keyName === null && last.memberId === reader.memberId;
  return last && name ? { name, isSelf, at: last.at } : undefined;
};

/** What the audit log calls a field, if it is not its name in forms. */
const auditNames: Readonly<Record<string, string>> = {
  assigneeIds: 'assignees',
  leadStageColumnId: 'leadStageId',
  practiceAreaStageColumnId: 'stageId',
};

/**
 * The fields of a form as they will be saved: what was changed since the edit began, and otherwise
 * what the record holds `now`. They count as begun from `now`.
 */
const merged = async (visit: Visit, fields: Fields, now: Texts): Promise<Fields> => {
  // Several values of one name are lines of one text.
  const sentText = (name: string) => fields.all(name).join('\n').replaceAll('\r\n', '\n');
  const began = (name: string) => (name in now ? fields.raw(originalName(name)) : undefined);
  const isMine = (name: string) => sentText(name) !== began(name);
  const changed = Object.keys(now).filter((name) => {
    const start = began(name);
    return (
      start !== undefined && isMine(name) && start !== now[name] && sentText(name) !== now[name]
    );
  });
  if (changed.length > 0) throw await conflict(visit.actor, visit, changed, now);
  const raw = (name: string) => {
    if (began(name) !== undefined) return isMine(name) ? sentText(name) : now[name];
    const base = name.replace(/^was\./, '');
    return base !== name && began(base) !== undefined ? now[base] : fields.raw(name);
  };
  return {
    ...fields,
    raw,
    text: (name) => raw(name)?.trim(),
    all: (name) =>
      began(name) === undefined ? fields.all(name) : (raw(name) ?? '').split('\n').filter(Boolean),
  };
};
