/** @jsxImportSource preact */
import { type ComponentType, h } from 'preact';
import type { IslandName } from './islands.ts';

/**
 * A part of a page that a script brings to life: the server renders the component, and sends the
 * properties along as JSON in an attribute, escaped as every other one is; from these the browser
 * goes on (`browser/islands.ts`).
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
  <div data-island={name} data-props={JSON.stringify(props)}>
    {h(of, props)}
  </div>
);
