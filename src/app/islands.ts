/**
 * Every island, once: its component is loaded by the browser when a page has one. An island's file
 * imports nothing of the server's.
 */
export const islands = {
  palette: () => import('./search/palette.tsx').then(({ Palette }) => Palette),
};

export type IslandName = keyof typeof islands;
