/** @jsxImportSource preact */
import type { ComponentChild, ComponentChildren } from 'preact';
import { Act } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
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
  action,
  children,
}: {
  title: string;
  says?: string;
  /** What can be made here, beside the name. */
  action?: ComponentChild;
  children: ComponentChildren;
}) => {
  const { visit, admits } = useFrame();
  return (
    <div class="settings">
      <nav class="sections" aria-label="Settings">
        {sections
          .filter(({ path }) => admits(path))
          .map(({ path, name }) => (
            <a
              href={path}
              aria-current={`${visit.path}/`.startsWith(`${path}/`) ? 'page' : undefined}
            >
              {name}
            </a>
          ))}
      </nav>
      <div>
        <Title title={title} facts={says && <span class="muted">{says}</span>}>
          {action}
        </Title>
        <div class="stack">
          <ActRefusal />
          {visit.query.has('saved') && !visit.refused && (
            <p class="banner ok" role="status">
              Saved.
            </p>
          )}
          {children}
        </div>
      </div>
    </div>
  );
};

/** The word by which a refused button is told from a refused form, which says itself what is wrong. */
const byButton = 'button';

/** A button of the settings that sends something by itself: refused, the page says why at its top. */
export const SettingsAct = ({ fields = {}, ...props }: Parameters<typeof Act>[0]) => (
  <Act {...props} fields={{ ...fields, [byButton]: 'yes' }} />
);

const ActRefusal = () => {
  const { refused } = useFrame().visit;
  if (!refused?.fields.has(byButton)) return null;
  return (
    <div class="banner danger" role="alert" tabIndex={-1} data-focus>
      <Icon name="circle-alert" />
      <div>
        <h2>This could not be done</h2>
        <p>{refused.refusal.message}</p>
      </div>
    </div>
  );
};
