import type { ComponentChild, VNode } from 'preact';
import { jsxEscape, jsxTemplate } from 'preact/jsx-runtime';
import { render } from 'preact-render-to-string';

/**
 * HTML written as text, for what a page has hundreds of: it costs the server a fraction of elements.
 * Values are escaped, also in quoted attributes. Elements may stand between tags. It is for the
 * server only: an island cannot use it.
 */
export const markup = (parts: readonly string[], ...values: ComponentChild[]): VNode =>
  jsxTemplate(parts as string[], ...values.map((value) => jsxEscape(value)));

/** A part that is the same on every page: its text is made once, at first use. */
export const rendersOnce = (make: () => VNode): (() => VNode) => {
  let text: string | undefined;
  return () => jsxTemplate([(text ??= render(make()))]);
};
