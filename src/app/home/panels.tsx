/** @jsxImportSource preact */

import type { MemberAway } from '../../firm/absence.ts';
import type { NewLead, NewLeads } from '../../leads/new-leads.ts';
import { Act } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { durationWords } from '../leads/words.tsx';
import { dayWords } from '../moments.tsx';
import { NoneYet, Panel } from '../page-parts.tsx';
import type { Visit } from '../visit.ts';
import { Avatar } from '../words.tsx';

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
    text: 'Your website’s form sends leads with the key.',
  },
  {
    path: '/settings/mail',
    icon: 'mail',
    name: 'Set up mail',
    text: 'Without mail, notices of dates stay in the inbox.',
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

/** Who is away today, until when, and who stands in. */
export const Away = ({ away, today }: { away: readonly MemberAway[]; today: string }) => {
  const frame = useFrame();
  return (
    <Panel id="away" title="Away today">
      <ul class="rows">
        {away.map(({ name, until, deputy }) => (
          <li>
            <Avatar name={name} />
            <div class="grow">
              {name}
              <div class="sub">
                Until {dayWords(until, today, frame)}.{' '}
                {deputy ? `${deputy} stands in.` : 'No deputy.'}
              </div>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
};

/** The time after which a new lead has waited too long. */
const longWait = 2 * 86_400;

/** The new leads that are assigned to the reader or to nobody. */
export const NewLeadsPanel = ({ found }: { found: NewLeads }) => {
  const { stageId, rows, mine, nobodys } = found;
  const list = (assignee: string) => `/leads?view=list&stage=${stageId}&assignee=${assignee}`;
  return (
    <Panel
      id="new-leads"
      title="New leads"
      action={
        rows.length > 0 && (
          <span class="row">
            {mine > 0 && (
              <a class="button quiet" href={list('me')}>
                Mine ({mine})
              </a>
            )}
            {nobodys > 0 && (
              <a class="button quiet" href={list('none')}>
                Unassigned ({nobodys})
              </a>
            )}
          </span>
        )
      }
    >
      {rows.length === 0 ? (
        <NoneYet text="No new leads." />
      ) : (
        <ul class="rows">
          {rows.map((lead) => (
            <LeadLine lead={lead} />
          ))}
        </ul>
      )}
    </Panel>
  );
};

const LeadLine = ({ lead }: { lead: NewLead }) => {
  const { visit, now } = useFrame();
  const { may, session } = visit as Visit;
  const { id, contactName, practiceAreaName, isMine, since } = lead;
  const name = contactName ?? 'Contact deleted';
  const seconds = (now.getTime() - since.getTime()) / 1000;
  return (
    <li>
      <div class="grow">
        <a class="name" href={`/leads/${id}`} data-key="e">
          {name}
        </a>
        <div class="sub">
          {practiceAreaName ?? 'No area'} ·{' '}
          <span class={seconds >= longWait ? 'nowrap tone-warn' : 'nowrap'}>
            waiting {durationWords(since, now)}
          </span>
        </div>
      </div>
      {isMine && <Avatar name={session.member.name} />}
      {!isMine && may('leads:write') && (
        <Act
          action="/"
          fields={{ assign: id }}
          class="button small"
          label={`Assign to me: ${name}`}
        >
          Assign to me
        </Act>
      )}
    </li>
  );
};
