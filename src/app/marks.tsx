/** @jsxImportSource preact */

const paths = {
  'chevron-down': 'm6 9 6 6 6-6',
  plus: 'M5 12h14M12 5v14',
  x: 'M18 6 6 18M6 6l12 12',
};

/** Lucide's icons for islands, which cannot import `icon.tsx`. */
export const Mark = ({ name }: { name: keyof typeof paths }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
);
