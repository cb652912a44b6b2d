/** @jsxImportSource preact */
import type { ComponentChild, ComponentChildren } from 'preact';
import { Unbroken } from './words.tsx';

type DatedLineProps = {
  /** The icon of its kind, or the box of a task. */
  sign: ComponentChild;
  path: string;
  name: string;
  isDone?: boolean;
  /** Its matter, and what else is below its name. */
  below?: readonly string[] | false;
  /** When it is, and whose it is. */
  children: ComponentChildren;
};

/** A date of a matter as a line of a list: on Home, in the agenda, among the tasks. */
export const DatedLine = ({ sign, path, name, isDone, below, children }: DatedLineProps) => (
  <li data-row>
    {sign}
    <div class="grow">
      <a class={isDone ? 'name done' : 'name'} href={path} data-key="e">
        {name}
      </a>
      {below && (
        <div class="sub">
          <Unbroken>{below.join(' · ')}</Unbroken>
        </div>
      )}
    </div>
    {children}
  </li>
);
