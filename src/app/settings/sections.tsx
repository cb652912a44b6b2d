/** @jsxImportSource preact */
import type { ComponentChild, ComponentChildren } from 'preact';
import { useFrame } from '../frame.tsx';
import { Title } from '../page-parts.tsx';
import { settingsGroups } from '../places.ts';
import type { Shown } from '../visit.ts';

type Settings = Omit<Shown, 'place'> & {
  /** A sentence below the title. */
  intro?: string;
  /** The list that this page is one of. */
  within?: { path: string; name: string };
  /** The button beside the title that makes something. */
  action?: ComponentChild;
};

/** What a page of the settings shows: the list of all of them, a title, and `main` below it. */
export const settingsPage = ({ intro, within, action, ...shown }: Settings): Shown => ({
  // The list of all pages stands before it.
  work: 'settings',
  ...shown,
  place: '/settings',
  main: (
    <Sections title={shown.title} intro={intro} within={within} action={action}>
      {shown.main}
    </Sections>
  ),
});

type SectionsProps = {
  title: string;
  intro: string | undefined;
  within: Settings['within'] | undefined;
  action: ComponentChild;
  children: ComponentChildren;
};

/** What was saved, in the words of its form. */
const Saved = ({ title }: { title: string }) => {
  const { visit, policyOf } = useFrame();
  const words = policyOf(visit.query.get('saved') ?? '')?.said ?? 'Changed: {title}.';
  return (
    <p class="banner ok" role="status">
      {words.replaceAll('{title}', title)}
    </p>
  );
};

const Sections = ({ title, intro, within, action, children }: SectionsProps) => {
  const { visit, admits } = useFrame();
  return (
    <div class="settings">
      <nav class="sections" aria-label="Settings" data-script="strip">
        {settingsGroups.map((group) => {
          const shown = group.sections.filter(({ path }) => admits(path));
          return (
            shown.length > 0 && (
              <>
                <span class="group">{group.name}</span>
                {shown.map(({ path, name }) => (
                  <a
                    href={path}
                    aria-current={`${visit.path}/`.startsWith(`${path}/`) ? 'page' : undefined}
                  >
                    {name}
                  </a>
                ))}
              </>
            )
          );
        })}
      </nav>
      <div id="settings" tabIndex={-1}>
        {within && (
          <nav class="crumbs" aria-label="Where this is">
            <a href={within.path}>{within.name}</a>
          </nav>
        )}
        <Title title={title} facts={intro && <span class="muted">{intro}</span>}>
          {action}
        </Title>
        <div class="stack">
          {visit.query.has('saved') && !visit.refused && <Saved title={title} />}
          {children}
        </div>
      </div>
    </div>
  );
};
