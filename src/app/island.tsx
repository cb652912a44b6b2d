/** @jsxImportSource preact */
import type { ComponentType } from 'preact';
import type { IslandName } from './islands.ts';
import { markup } from './markup.ts';
import { rememberedIsland } from './remembered.ts';

/**
 * A part of a page that a script continues. The server renders the component and sends its
 * properties as JSON in an escaped attribute. In the browser, `browser/scripts.ts` starts from
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
}) => {
  const text = JSON.stringify(props);
  return markup`<div data-script="island" data-island="${name}" data-props="${text}">${rememberedIsland(name, of, props, text)}</div>`;
};
