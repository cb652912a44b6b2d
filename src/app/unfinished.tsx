/** @jsxImportSource preact */
import { useFrame } from './frame.tsx';
import { Icon } from './icon.tsx';

/**
 * Offers what was typed into this form before and was not saved; the form itself opens empty. It is
 * hidden until a script finds such a text in the browser (`browser/unfinished.ts`). `what` is the
 * record's word: `lead`.
 */
export const Unfinished = ({ what }: { what: string }) => {
  const { timeZone, formats } = useFrame();
  return (
    <div
      class="banner offer"
      role="status"
      data-offers={what}
      data-zone={timeZone}
      data-order={formats.dayOrder}
      data-clock={formats.clock}
      hidden
    >
      <Icon name="file-text" />
      <p class="grow" />
      <button class="button" type="button">
        Continue
      </button>
      <button class="button quiet" type="button">
        Start fresh
      </button>
    </div>
  );
};
