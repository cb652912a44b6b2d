/** @jsxImportSource preact */
import { type ComponentType, h } from 'preact';
import type { IslandName } from './islands.ts';

/**
 * A part of a page that a script continues. The server renders the component and sends its
 * properties as JSON in an escaped attribute. In the browser, `browser/islands.ts` starts from
 * these.
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
  <div data-script="island" data-island={name} data-props={JSON.stringify(props)}>
    {h(of, props)}
  </div>
);
