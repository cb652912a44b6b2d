/** @jsxImportSource preact */
import { Icon } from '../app/icon.tsx';
import { Line, Markdown } from './markdown.tsx';
import { anchorOf } from './sections.ts';

/** A page of Markdown, with its headings beside it, or above it on a narrow screen. */
export const Guide = ({ text }: { text: string }) => {
  const parts = headingsOf(text);
  return (
    <div class="doc">
      <article class="text">
        {parts.length > 1 && <Fold parts={parts} />}
        <Markdown text={text} />
      </article>
      {parts.length > 1 && (
        <nav class="toc" aria-labelledby="toc-title">
          <h2 id="toc-title">On this page</h2>
          <Anchors parts={parts} />
        </nav>
      )}
    </div>
  );
};

/** The second headings of a page. */
const headingsOf = (text: string) =>
  [...text.replaceAll(/^```.*?^```$/gms, '').matchAll(/^## (.+)$/gm)].map(
    ([, title = '']) => title,
  );

const Fold = ({ parts }: { parts: string[] }) => (
  <details class="toc-fold fold">
    <summary>
      <Icon name="chevron-right" />
      On this page
    </summary>
    <Anchors parts={parts} />
  </details>
);

const Anchors = ({ parts }: { parts: string[] }) => (
  <ul>
    {parts.map((title) => (
      <li>
        <a href={`#${anchorOf(title)}`}>
          <Line text={title} />
        </a>
      </li>
    ))}
  </ul>
);
