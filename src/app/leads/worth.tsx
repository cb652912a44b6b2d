/** @jsxImportSource preact */
import { leadValues } from '../../leads/table.ts';
import { valueWords } from './lead-words.ts';

/** A lead's value in bars and in a word. */
export const Worth = ({ value }: { value: (typeof leadValues)[number] }) => {
  const reached = leadValues.indexOf(value);
  return (
    <span class="worth">
      <svg viewBox="0 0 19 12" aria-hidden="true">
        {leadValues.map((one, at) => (
          <rect
            x={at * 4}
            y={8 - at * 2}
            width="3"
            height={4 + at * 2}
            class={at <= reached ? 'on' : undefined}
            key={one}
          />
        ))}
      </svg>
      <span>{valueWords[value]}</span>
    </span>
  );
};
