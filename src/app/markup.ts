import { type ComponentChild, isValidElement, type VNode } from 'preact';
import { jsxEscape, jsxTemplate } from 'preact/jsx-runtime';
import { render } from 'preact-render-to-string';

/**
 * HTML written as text, for what a page has hundreds of: it costs the server a fraction of elements.
 * Values are escaped, also in quoted attributes. Elements may stand between tags. It is for the
 * server only: an island cannot use it.
 */
export const markup = (parts: readonly string[], ...values: Value[]): VNode => {
  // Text is put together at once. Only elements are left for Preact.
  let text = parts[0] ?? '';
  for (let at = 0; at < values.length; at += 1) {
    const written = textOf(values[at]);
    if (written === undefined) return aroundElements(parts, values);
    text += written + (parts[at + 1] ?? '');
  }
  return jsxTemplate([text]);
};

type Attribute = string | number | boolean | null | undefined;

/**
 * Attributes for a tag of `markup`, each with a space before it. One that is false or has no value is
 * left out.
 */
export const attributes = (all: Readonly<Record<string, Attribute>>): VNode => {
  let text = '';
  for (const name in all) {
    const value = all[name];
    if (value === undefined || value === null || value === false) continue;
    // Of these, the word itself says that they are true.
    const isWord = value === true && !/^(aria|data)-/.test(name);
    text += isWord ? ` ${name}` : ` ${name}="${jsxEscape(`${value}`)}"`;
  }
  return jsxTemplate([text]);
};

const aroundElements = (parts: readonly string[], values: readonly Value[]): VNode =>
  jsxTemplate(
    [...parts],
    ...values.map((value) => textOf(value) ?? (jsxEscape(copyOf(value)) as Element)),
  );

/** A part that is the same on every page: its text is made once, at first use. */
export const rendersOnce = (make: () => VNode): (() => VNode) => {
  let text: string | undefined;
  return () => jsxTemplate([(text ??= flat(render(make())))]);
};

/**
 * A text as one piece. One that was put together stays a tree of its parts, and each page that
 * contains it would go through the tree again.
 */
export const flat = (text: string): string => Buffer.from(text).toString();

type Value = ComponentChild | readonly Value[];
type Element = Parameters<typeof jsxTemplate>[1];

/** A value's text, escaped; undefined if some of it is an element. */
const textOf = (value: Value): string | undefined => {
  if (typeof value === 'string') return jsxEscape(value) as string;
  if (Array.isArray(value)) {
    let all = '';
    for (const one of value) {
      const text = textOf(one);
      if (text === undefined) return undefined;
      all += text;
    }
    return all;
  }
  if (isValidElement(value)) return writtenIn(value);
  return (jsxEscape(value as ComponentChild) as string | null) ?? '';
};

/** The text of what `markup` has put together, if nothing is left for Preact. */
const writtenIn = ({ props }: VNode): string | undefined => {
  const { tpl, exprs } = props as { tpl?: string[]; exprs?: unknown[] };
  return exprs?.length === 0 ? tpl?.[0] : undefined;
};

/** Preact escapes the entries of a list in their place. */
const copyOf = (value: Value): Value => (Array.isArray(value) ? value.map(copyOf) : value);
