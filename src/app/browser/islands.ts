import { type ComponentType, h, hydrate } from 'preact';
import { type IslandName, islands } from '../islands.ts';

/** Starts an island: the component continues from what the server rendered. */
export const startIsland = async (island: HTMLElement) => {
  const load = islands[island.dataset.island as IslandName];
  if (!load) return;
  const component = (await load()) as ComponentType<object>;
  hydrate(h(component, JSON.parse(island.dataset.props ?? '{}')), island);
  island.dataset.alive = 'yes';
};
