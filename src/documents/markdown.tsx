/** @jsxImportSource preact */
import { lexer, type Token, type Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { type Code, nameOf, Sample } from './sample.tsx';
import { anchorOf, plain } from './sections.ts';

/**
 * Markdown as parts of a page. HTML in it is shown as the text that it is: nothing but the marks of
 * Markdown becomes an element.
 */
export const Markdown = ({ text, title = '' }: { text: string; title?: string }) => (
  <>{blocksOf(lexer(text), title)}</>
);

/** One line of Markdown: code, links and emphasis, without a paragraph around it. */
export const Line = ({ text }: { text: string }) => {
  const [first] = lexer(text);
  return <>{first && 'tokens' in first ? inline(first.tokens) : text}</>;
};

const blocksOf = (tokens: Token[], above = ''): ComponentChildren[] => {
  const shown: ComponentChildren[] = [];
  let title = above;
  let tables = 0;
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] as Token;
    if (token.type === 'heading') {
      title = plain(token.text);
      tables = 0;
    }
    if (token.type === 'table') tables += 1;
    if (token.type !== 'code') {
      // A second table below a title has a name of its own.
      shown.push(block(token, tables > 1 ? `${title} (${tables})` : title));
      continue;
    }
    // The same in several languages is one sample.
    const codes: Code[] = [];
    let next = at;
    for (; tokens[next]?.type === 'code' || tokens[next]?.type === 'space'; next += 1) {
      const { type, lang = '', text } = tokens[next] as Tokens.Code;
      if (type === 'code' && codes.some((code) => code.language === lang)) break;
      if (type === 'code') codes.push({ language: lang, text });
    }
    at = next - 1;
    const [first, ...others] = codes;
    const head = first && others.length === 0 ? nameOf(first.language) : title;
    shown.push(<Sample title={title} head={head} codes={codes} />);
  }
  return shown;
};

const block = (token: Token, title: string): ComponentChildren => {
  switch (token.type) {
    case 'heading':
      return <Heading token={token as Tokens.Heading} />;
    case 'paragraph':
      return <p>{inline(token.tokens)}</p>;
    case 'text':
      return token.tokens ? inline(token.tokens) : token.text;
    case 'list': {
      const items = (token as Tokens.List).items.map((item) => <li>{blocksOf(item.tokens)}</li>);
      return token.ordered ? <ol class="plain">{items}</ol> : <ul>{items}</ul>;
    }
    case 'table':
      return <Table token={token as Tokens.Table} title={title} />;
    case 'blockquote':
      return (
        <div class="banner">
          <div>{blocksOf(token.tokens ?? [])}</div>
        </div>
      );
    case 'space':
      return null;
    default:
      return <p>{token.raw}</p>;
  }
};

const Heading = ({ token: { depth, text, tokens } }: { token: Tokens.Heading }) => {
  const id = anchorOf(text);
  const words = inline(tokens);
  if (depth === 1) return <h1 id={id}>{words}</h1>;
  return depth === 2 ? <h2 id={id}>{words}</h2> : <h3 id={id}>{words}</h3>;
};

const Table = ({ token: { header, rows }, title }: { token: Tokens.Table; title: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it
  <section class="table-box" tabIndex={0} aria-label={title}>
    <table class="table">
      <thead>
        <tr>
          {header.map((cell) => (cell.text ? <th scope="col">{inline(cell.tokens)}</th> : <td />))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            {row.map((cell, at) =>
              at === 0 ? (
                <th scope="row">{inline(cell.tokens)}</th>
              ) : (
                <td>{inline(cell.tokens)}</td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

const inline = (tokens: Token[] = []): ComponentChildren[] => tokens.map(one);

const one = (token: Token): ComponentChildren => {
  switch (token.type) {
    case 'strong':
      return <strong>{inline(token.tokens)}</strong>;
    case 'em':
      return <em>{inline(token.tokens)}</em>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'link':
      return isSafe(token.href) ? (
        <a href={token.href}>{inline(token.tokens)}</a>
      ) : (
        inline(token.tokens)
      );
    case 'br':
      return <br />;
    case 'text':
    case 'escape':
      return 'tokens' in token && token.tokens ? inline(token.tokens) : token.text;
    default:
      return token.raw;
  }
};

const isSafe = (href: string) => /^(?:https?:\/\/|\/|#)/.test(href);
