/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { written } from '../base/numbers.ts';
import { useFrame } from './frame.tsx';
import { addressWith } from './list.tsx';
import { counted } from './numbers.ts';

type Props = {
  done: number;
  all: number;
  noun: string;
  words: string;
  children: ComponentChildren;
};

/** How far a long work is: `300 of 1,200 rows imported.` The page renews itself. */
export const Progress = ({ done, all, noun, words, children }: Props) => {
  const { path, query } = useFrame().visit;
  return (
    <div class="banner" role="status">
      <div class="grow">
        <p id="progress">
          {written(done)} of {counted(all, noun)} {words}. {children}
        </p>
        <progress value={done} max={Math.max(all, 1)} aria-labelledby="progress" />
        <p class="only-plain">
          <a href={addressWith(path, query, {})}>See the progress</a>
        </p>
      </div>
    </div>
  );
};
