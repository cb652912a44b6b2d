/** @jsxImportSource preact */
import { Island } from './island.tsx';
import { palettePlaces, recordsMade } from './places.ts';
import { remembered } from './remembered.ts';
import type { PaletteProps } from './search/found.ts';
import { Palette } from './search/palette.tsx';

const commands = recordsMade.map(({ path, name }) => ({
  path,
  name: `New ${name.toLowerCase()}`,
}));

/** What the palette offers to a member: only pages and commands of their role. */
export const paletteOf = (member: string, admits: (path: string) => boolean): PaletteProps => {
  const mine = ({ path }: { path: string }) => admits(path);
  return { member, places: palettePlaces.filter(mine), commands: commands.filter(mine) };
};

/** The palette that Ctrl+K opens. */
export const PaletteDialog = remembered((props: PaletteProps) => (
  <dialog class="dialog palette" id="palette" aria-label="Search">
    <Island name="palette" of={Palette} props={props} />
  </dialog>
));
