/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import type { Shown } from '../visit.ts';
import { SettingsPage } from './sections.tsx';

/**
 * Shows a secret this once, as the answer to the form that made it: it stands in no address, and no
 * page shows it again.
 */
export const showOnce = ({
  title,
  label,
  secret,
  back,
  children,
}: {
  title: string;
  /** What the secret is, for those who do not see it. */
  label: string;
  secret: string;
  /** The page to go on to. */
  back: string;
  children: ComponentChildren;
}): Shown => ({
  title,
  place: '/settings',
  main: (
    <SettingsPage title={title}>
      <section class="once" aria-label={label}>
        <div>{children}</div>
        <div class="secret">
          <code>{secret}</code>
        </div>
        <div class="row">
          <a class="button primary" href={back}>
            I have stored it
          </a>
        </div>
      </section>
    </SettingsPage>
  ),
});
