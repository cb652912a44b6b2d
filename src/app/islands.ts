/**
 * Every island, once: its component is loaded by the browser when a page has one. An island's file
 * imports nothing of the server's.
 */
export const islands = {
  clients: () => import('./matters/client-picker.tsx').then(({ ClientPicker }) => ClientPicker),
  known: () => import('./leads/known-list.tsx').then(({ KnownList }) => KnownList),
  palette: () => import('./search/palette.tsx').then(({ Palette }) => Palette),
  team: () => import('./matters/team-rows.tsx').then(({ TeamRows }) => TeamRows),
};

export type IslandName = keyof typeof islands;
