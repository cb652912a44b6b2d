import { type ComponentType, h, hydrate } from 'preact';
import { type IslandName, islands } from '../islands.ts';

/** Starts an island: the component continues from what the server rendered. */
export const startIsland = async (island: HTMLElement) => {
  const load = islands[island.dataset.island as IslandName];
  if (!load) return;
  const component = (await load()) as ComponentType<object>;
  const typed = [...island.querySelectorAll('input')]
    .filter(({ value, defaultValue }) => value !== defaultValue)
    .map((input) => [input, input.value] as const);
  hydrate(h(component, JSON.parse(island.dataset.props ?? '{}')), island);
  for (const [input, text] of typed) tell(input, text);
  island.dataset.alive = 'yes';
};

/** Tells a component what was typed before it had started. */
const tell = (input: HTMLInputElement, text: string) => {
  input.value = text;
  input.dispatchEvent(new InputEvent('input', { bubbles: true }));
};
