/** @jsxImportSource preact */
import { dayIn } from '../../base/calendar-date.ts';
import { lead } from '../../leads/table.ts';
import { listInbox } from '../../notifications/inbox.ts';
import { countOf } from '../../register/register.ts';
import { useFrame } from '../frame.tsx';
import { Line } from '../inbox/pages.tsx';
import { Empty, Panel } from '../list.tsx';
import { type Page, page, type Shown, type Visit } from '../visit.ts';
import { WhatNext } from './what-next.tsx';

/** What is new, what is due, who waits. */
const showHome = async ({ actor }: Visit): Promise<Shown> => {
  const [{ rows, unread }, { live }] = await Promise.all([
    listInbox(actor, false, { limit: 5, offset: 0 }),
    countOf(actor, lead),
  ]);
  return {
    title: 'Home',
    follows: ['notification', 'lead'],
    main: (
      <>
        <Today />
        <div class="home">
          <div class="stack">
            {live === 0 && <WhatNext />}
            <Panel
              id="inbox"
              title="Inbox"
              action={
                <a class="button quiet" href="/inbox">
                  {unread > 0 ? `All, ${unread} unread` : 'All'}
                </a>
              }
            >
              {rows.length === 0 ? (
                <Empty says="Nothing has happened yet." />
              ) : (
                <ul class="rows notices">
                  {rows.map((notice) => (
                    <Line notice={notice} />
                  ))}
                </ul>
              )}
            </Panel>
          </div>
        </div>
      </>
    ),
  };
};

/** The firm's day, in words, as the page's name. */
const Today = () => {
  const { now, timeZone } = useFrame();
  const words = new Date(`${dayIn(now, timeZone)}T00:00:00Z`).toLocaleDateString('en-GB', {
    ...{ weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' },
  });
  return (
    <div class="head">
      <h1>{words}</h1>
    </div>
  );
};

export const homePages: Page[] = [page('/', 'member', showHome)];
