/** @jsxImportSource preact */
import { Icon } from './icon.tsx';

/**
 * A button that copies the text of an element. Only browsers with scripts show it; without one the text
 * is selected with one click.
 */
export const Copy = ({ of, label }: { of: string; label: string }) => (
  <button
    class="button only-scripted"
    type="button"
    data-script="copy"
    data-copies={of}
    aria-label={label}
  >
    <Icon name="copy" />
    Copy
  </button>
);
