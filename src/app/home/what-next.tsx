/** @jsxImportSource preact */
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { Panel } from '../list.tsx';

const steps = [
  {
    path: '/leads/new',
    icon: 'funnel',
    name: 'Add your first lead',
    text: 'Somebody who called and may become a client.',
  },
  {
    path: '/settings/members',
    icon: 'users',
    name: 'Invite a colleague',
    text: 'You send them a link. It works once, for 7 days.',
  },
  {
    path: '/settings/keys',
    icon: 'key-round',
    name: 'Create an API key',
    text: 'Your website’s form sends its leads with it.',
  },
  {
    path: '/settings/mail',
    icon: 'mail',
    name: 'Set up mail',
    text: 'Without it, notices of dates stay in the inbox.',
  },
] as const;

const backups = {
  path: '/settings/system#backups',
  icon: 'database',
  name: 'Set up backups',
  text: 'There are no backups yet. If the server’s disk fails, everything is lost.',
} as const;

/**
 * What the member may do next: the first steps, while the firm has no leads; and backups, until
 * there is one.
 */
export const WhatNext = ({ isNew, lacksBackup }: { isNew: boolean; lacksBackup: boolean }) => {
  const { admits } = useFrame();
  const offered = [...(isNew ? steps : []), ...(lacksBackup ? [backups] : [])];
  const possible = offered.filter(({ path }) => admits(path.split('#')[0] ?? path));
  if (possible.length === 0) return null;
  return (
    <Panel id="what-next" title="What next">
      <ul class="rows">
        {possible.map(({ path, icon, name, text }) => (
          <li>
            <Icon name={icon} />
            <div class="grow">
              <a class="name" href={path}>
                {name}
              </a>
              <div class="sub">{text}</div>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
};
