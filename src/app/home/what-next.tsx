/** @jsxImportSource preact */
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { Panel } from '../list.tsx';

const steps = [
  {
    path: '/leads/new',
    icon: 'funnel',
    name: 'Add your first lead',
    says: 'Somebody who called and may become a client.',
  },
  {
    path: '/settings/members',
    icon: 'users',
    name: 'Invite somebody',
    says: 'A link that works once, for 7 days. You hand it over.',
  },
  {
    path: '/settings/keys',
    icon: 'key-round',
    name: 'Make an API key',
    says: 'Your website’s form sends its leads with it.',
  },
] as const;

/** The first steps in a new firm that the member may do. */
export const WhatNext = () => {
  const { admits } = useFrame();
  const possible = steps.filter(({ path }) => admits(path));
  if (possible.length === 0) return null;
  return (
    <Panel id="what-next" title="What next">
      <ul class="rows">
        {possible.map(({ path, icon, name, says }) => (
          <li>
            <Icon name={icon} />
            <div class="grow">
              <a class="name" href={path}>
                {name}
              </a>
              <div class="sub">{says}</div>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
};
