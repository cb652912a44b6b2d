/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { Act } from './form.tsx';
import { Title } from './list.tsx';
import type { Shown } from './visit.ts';

type DeletedRecord = {
  /** Its address before. */
  path: string;
  /** What it is called: `Lead L-0041`. */
  name: string;
  /** The list that it stood in: its address, and what it holds. */
  place: string;
  nouns: string;
  /** What is gone with it. */
  words: ComponentChildren;
};

/** The page after a record was deleted: it can be restored there. */
export const deletedRecord = ({ path, name, place, nouns, words }: DeletedRecord): Shown => ({
  title: `${name} is deleted`,
  place,
  main: (
    <>
      <Title title={`${name} is deleted`} />
      <p>{words}</p>
      <div class="row after">
        <Act action={`${path}/restore`}>Restore</Act>
        <a class="button quiet" href={place}>
          Back to the {nouns}
        </a>
      </div>
    </>
  ),
});
