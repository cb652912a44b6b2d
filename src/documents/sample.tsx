/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { Icon } from '../app/icon.tsx';

export type Code = { language: string; text: string };

const names: Record<string, string> = {
  sh: 'curl',
  ts: 'TypeScript',
  python: 'Python',
  http: 'HTTP',
  json: 'JSON',
  php: 'PHP',
  js: 'JavaScript',
  html: 'HTML',
};

/**
 * Code to copy, in one language or in several: the reader chooses one, also without a script. `head`
 * is what stands above it, if that is not its title.
 */
export const Sample = ({
  title,
  head = title,
  codes,
}: {
  title: string;
  head?: string;
  codes: Code[];
}) => {
  // The same for the same code, and different for different code of a page.
  const id = `code-${Bun.hash(title + codes.map(({ text }) => text).join()).toString(36)}`;
  return (
    <div class="sample">
      <div class="top">
        <span class="title">{head}</span>
        {codes.length > 1 && (
          <fieldset>
            <legend class="hide">Language of the example {title}</legend>
            {codes.map(({ language }, at) => (
              <label>
                <input type="radio" name={id} value={language} checked={at === 0} />
                {nameOf(language)}
              </label>
            ))}
          </fieldset>
        )}
        <button
          class="button quiet icon-only only-scripted"
          type="button"
          data-script="copy-code"
          aria-label={`Copy the example ${title}`}
        >
          <Icon name="copy" />
        </button>
      </div>
      {codes.map(({ language, text }) => (
        <pre
          data-lang={codes.length > 1 ? language : undefined}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it
          tabIndex={0}
          role="region"
          aria-label={`${title}, ${nameOf(language)}`}
        >
          <code>{withComments(language, text)}</code>
        </pre>
      ))}
    </div>
  );
};

/** A language's name. */
export const nameOf = (language: string) => names[language] ?? 'Text';

const comments: Record<string, RegExp> = {
  sh: /^\s*#.*$/,
  python: /^\s*(?:#|""").*$/,
  ts: /^\s*(?:\/\/|\/\*\*).*$/,
  js: /^\s*(?:\/\/|\/\*\*).*$/,
  php: /^\s*(?:\/\/|\/\*\*).*$/,
};

/** Code has no colours but that of its comments. */
const withComments = (language: string, text: string): ComponentChildren[] => {
  const comment = comments[language];
  return text
    .split('\n')
    .flatMap((line, at): ComponentChildren[] => [
      at > 0 && '\n',
      comment?.test(line) ? <i>{line}</i> : line,
    ]);
};
