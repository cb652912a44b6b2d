/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { Icon } from '../icon.tsx';
import type { Shown } from '../visit.ts';
import { settingsPage } from './sections.tsx';

/**
 * Shows a secret once, as the answer to the form that made it. It is in no address, and no page
 * shows it again.
 */
export const showOnce = ({
  title,
  label,
  secret,
  back,
  children,
}: {
  title: string;
  /** What the secret is, for screen readers. */
  label: string;
  secret: string;
  /** The page to continue with. */
  back: string;
  children: ComponentChildren;
}): Shown =>
  settingsPage({
    title,
    main: (
      <>
        <section class="once" aria-label={label}>
          <div>{children}</div>
          <div class="secret">
            <code id="secret">{secret}</code>
            <Copy of="secret" label={`Copy ${label.charAt(0).toLowerCase()}${label.slice(1)}`} />
          </div>
          <div class="row">
            <a class="button primary" href={back}>
              I have stored it
            </a>
          </div>
        </section>
      </>
    ),
  });

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
