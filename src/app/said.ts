import type { Refusal } from '../base/refusal.ts';
import type { GoTo, Said, Undo } from './visit.ts';

/** The end of a form: where it leads, what is said there (`Said`), and what takes it back. */
export const saying = (path: string, words: string, undo?: Undo | false): GoTo => ({
  path,
  said: { words, ...(undo && { undo }) },
});

const doneBefore = new WeakMap<Refusal, Required<Said>>();

/** A refusal of a form that was partly done: what was done, and what takes it back. */
export const refusedWithUndo = (refusal: Refusal, done: Required<Said>): Refusal => {
  doneBefore.set(refusal, done);
  return refusal;
};

/** What was done before this refusal, if its form was partly done. */
export const doneBeforeOf = (refusal: Refusal) => doneBefore.get(refusal);

const statusWords = {
  ACTIVE: 'Active again: {title}.',
  DRAFT: '{title} is a draft now.',
  ARCHIVE: 'Archived: {title}.',
};

type Status = keyof typeof statusWords;

/** Which of the statuses that a record is moved between by hand a form asks for. */
export const statusIn = (text: string | undefined): Status | undefined =>
  Object.keys(statusWords).find((one): one is Status => one === text);

/** The end of a form that gave the record at `path` another status. What it had `before` comes back. */
export const sayingStatus = (path: string, before: string, now: Status): GoTo => {
  const back = statusIn(before);
  const undo: Undo | false = back !== undefined && {
    action: `${path}/status`,
    fields: [['status', back]],
  };
  return saying(path, statusWords[now], undo);
};

const lists = {
  and: new Intl.ListFormat('en-GB', { type: 'conjunction' }),
  or: new Intl.ListFormat('en-GB', { type: 'disjunction' }),
};

/** Names in a sentence: `Ada Harrow, Ben Carter and Cy Moss`. */
export const namesInWords = (names: readonly string[], by: keyof typeof lists = 'and'): string =>
  lists[by].format(names);
