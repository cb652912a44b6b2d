/**
 * All islands. A browser loads a component when a page uses it. An island's file imports nothing
 * from the server.
 */
export const islands = {
  clients: () => import('./matters/client-picker.tsx').then(({ ClientPicker }) => ClientPicker),
  known: () => import('./leads/known-list.tsx').then(({ KnownList }) => KnownList),
  matter: () => import('./matter-picker.tsx').then(({ MatterPicker }) => MatterPicker),
  merge: () => import('./contacts/merge-finder.tsx').then(({ MergeFinder }) => MergeFinder),
  palette: () => import('./search/palette.tsx').then(({ Palette }) => Palette),
  record: () => import('./calls/record-picker.tsx').then(({ RecordPicker }) => RecordPicker),
  team: () => import('./matters/team-rows.tsx').then(({ TeamRows }) => TeamRows),
};

export type IslandName = keyof typeof islands;
