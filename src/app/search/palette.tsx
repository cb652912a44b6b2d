/** @jsxImportSource preact */
import { useEffect, useState } from 'preact/hooks';
import { useFound } from '../finding.tsx';
import type { Found, PaletteProps } from './found.ts';

const remembered = 'seen:';

/** The records that were opened last in this browser, the newest first. */
const lastOpened = (member: string): Found[] => {
  try {
    return JSON.parse(localStorage.getItem(remembered + member) ?? '[]') as Found[];
  } catch {
    return [];
  }
};

/** The search palette: records, pages, commands. Without a script there is the search page. */
export const Palette = ({ member, places, commands }: PaletteProps) => {
  const [text, setText] = useState('');
  const { found } = useFound(text);
  const [at, setAt] = useState(0);
  // What can be chosen is shown once the browser has it: the server sends no closed list with each page.
  const [last, setLast] = useState<Found[]>();
  useEffect(() => setLast(lastOpened(member)), [member]);

  const wanted = text.trim().toLowerCase();
  const isMeant = ({ name }: Found) => name.toLowerCase().includes(wanted);
  const groups = [
    { name: 'Records', rows: wanted ? found : [] },
    { name: 'Opened last', rows: wanted || !last ? [] : last },
    { name: 'Pages', rows: last ? places.filter(isMeant) : [] },
    { name: 'Commands', rows: last ? commands.filter(isMeant) : [] },
  ].filter(({ rows }) => rows.length > 0);
  const rows = groups.flatMap((group) => group.rows);
  const chosen = Math.min(at, Math.max(0, rows.length - 1));
  const idOf = (row: Found) => `found-${rows.indexOf(row)}`;

  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setAt((chosen + step + rows.length) % Math.max(1, rows.length));
    const row = rows[chosen];
    if (event.key === 'Enter' && row) location.assign(row.path);
    if (step || (event.key === 'Enter' && row)) event.preventDefault();
  };

  return (
    <>
      <div class="ask">
        <input
          type="text"
          role="combobox"
          aria-label="Search"
          aria-expanded={rows.length > 0}
          aria-controls="palette-found"
          aria-activedescendant={rows.length > 0 ? `found-${chosen}` : undefined}
          autocomplete="off"
          placeholder="A name, a number, a page or a command"
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={press}
        />
        <kbd>Esc</kbd>
      </div>
      <div class="found" id="palette-found" role="listbox" aria-label="Found">
        {groups.map((group) => (
          <Group {...group} idOf={idOf} chosen={rows[chosen]} />
        ))}
        {wanted.length > 1 && rows.length === 0 && <p class="muted none">Nothing was found.</p>}
      </div>
    </>
  );
};

type GroupProps = {
  name: string;
  rows: readonly Found[];
  idOf(row: Found): string;
  chosen: Found | undefined;
};

const Group = ({ name, rows, idOf, chosen }: GroupProps) => (
  <div role="group" aria-label={name}>
    <div role="presentation">{name}</div>
    {rows.map((row) => (
      <a role="option" id={idOf(row)} aria-selected={row === chosen} href={row.path} tabIndex={-1}>
        <span class="grow">
          {row.name}
          {row.sub && <span class="sub">{row.sub}</span>}
        </span>
      </a>
    ))}
  </div>
);
