/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { useFrame } from '../frame.tsx';
import { Title } from '../list.tsx';

/** The pages of the settings, in order: each is shown to those who may see it. */
const sections = [
  { path: '/settings/me', name: 'My settings' },
  { path: '/settings/firm', name: 'Firm' },
  { path: '/settings/numbering', name: 'Numbering' },
  { path: '/settings/lead-stages', name: 'Leads' },
  { path: '/settings/practice-areas', name: 'Practice areas' },
  { path: '/settings/fields', name: 'Custom fields' },
  { path: '/settings/members', name: 'Members' },
  { path: '/settings/roles', name: 'Roles' },
  { path: '/settings/keys', name: 'API keys' },
  { path: '/settings/audit', name: 'Audit log' },
  { path: '/settings/imports', name: 'Imports' },
  { path: '/settings/deleted', name: 'Deleted records' },
  { path: '/settings/system', name: 'System' },
];

/** A page of the settings: the others beside it, its name, and what it sets. */
export const SettingsPage = ({
  title,
  says,
  children,
}: {
  title: string;
  says?: string;
  children: ComponentChildren;
}) => {
  const { visit, admits } = useFrame();
  return (
    <>
      <Title title={title} facts={says && <span class="muted">{says}</span>} />
      <div class="settings">
        <nav aria-label="Settings">
          {sections
            .filter(({ path }) => admits(path))
            .map(({ path, name }) => (
              <a href={path} aria-current={visit.path.startsWith(path) ? 'page' : undefined}>
                {name}
              </a>
            ))}
        </nav>
        <div class="stack">{children}</div>
      </div>
    </>
  );
};
