import { type ComponentType, h } from 'preact';
import type { IslandName } from './islands.ts';

/**
 * A part of a page that a script brings to life: the server renders the component, and sends the
 * properties along as JSON, from which the browser goes on (`browser/islands.ts`).
 */
export const Island = <Props extends object>({
  name,
  of,
  props,
}: {
  name: IslandName;
  of: ComponentType<Props>;
  props: Props;
}) => (
  <div data-island={name}>
    <script type="application/json">{json(props)}</script>
    <div data-place>{h(of, props)}</div>
  </div>
);

/** JSON of which nothing ends a script element or begins a comment in one. */
export const json = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
