/** Members in a browser: they send forms with their cookies, again until one is acknowledged. */
import { partsOf, sentBy } from '../../support/crawl.ts';
import { type Answer, attorney, makeFirm, owner } from '../../support/firm.ts';
import { chanceOf } from '../../support/random.ts';
import { type Asked, openAsked } from './asking.ts';
import type { Laboratory } from './laboratory.ts';

/** What a member knows of a lead: what was acknowledged. */
export type KnownLead = {
  name: string;
  stageId: string;
  notes: string[];
  /** The tasks of the matter that it became; undefined before. */
  tasks: string[] | undefined;
};

/** A firm whose members work in browsers. They stay signed in, whatever happens to the servers. */
export type FirmInBrowsers = Awaited<ReturnType<typeof makeFirm>> & {
  cookies: string[];
  known: Map<string, KnownLead>;
};

export type MembersWork = Pick<Asked, 'broken' | 'counts'> & {
  tally: { writes: number; twice: number };
  /** Begins nothing new; sends again until everything begun is acknowledged. */
  finish(): Promise<void>;
};

const patienceMilliseconds = 120_000;
const { random, happens, among } = chanceOf(Date.now());

/** Makes one with two members, each signed in by the link that an administrator makes. */
export const makeFirmInBrowsers = async (lab: Laboratory): Promise<FirmInBrowsers> => {
  const firm = await makeFirm({ url: '', databaseUrl: lab.databaseUrl });
  const cookies: string[] = [];
  for (const email of [owner, attorney]) {
    const { link } = await firm.command<{ link: string }>(['member', 'invite', '--member', email]);
    const answer = await fetch(lab.anyUrl() + new URL(link).pathname, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ password: 'a horse that counts to ten' }),
      headers: { accept: 'text/html', 'sec-fetch-site': 'same-origin' },
    });
    const cookie = /^[^;]+/.exec(answer.headers.get('set-cookie') ?? '')?.[0];
    if (!cookie) throw new Error(`${email} was not let in: ${answer.status}.`);
    cookies.push(cookie);
  }
  return { ...firm, cookies, known: new Map() };
};

/** Asks as a browser without a script does. A page's failure is told as the API tells it. */
const askIn = async (url: string, cookie: string, body?: URLSearchParams): Promise<Answer> => {
  const answer = await fetch(url, {
    method: body ? 'POST' : 'GET',
    redirect: 'manual',
    headers: { cookie, accept: 'text/html', 'sec-fetch-site': 'same-origin' },
    ...(body && { body }),
  });
  const text = await answer.text();
  const { status, headers } = answer;
  const location = headers.get('location') ?? '';
  if (location.startsWith('/sign-in')) return { status: 401, headers, body: 'signed out' };
  if (status === 303) return { status: 200, headers, body: location };
  if (status === 200) return { status, headers, body: text };
  if (status === 503) return { status, headers, body: { error: { code: 'unavailable' } } };
  const said = [...text.matchAll(/<h2>([^<]*)<\/h2>.*?<\/div>/gs)].join();
  if (said.includes('still under way'))
    return { status: 409, headers, body: { error: { code: 'conflict' } } };
  return { status, headers, body: said || text.slice(0, 300) };
};

/** Sets the firm's members to work at any of the servers. */
export const startMembers = (
  lab: Laboratory,
  firm: FirmInBrowsers,
  options: { mayDrop: boolean },
): MembersWork => {
  const asked = openAsked(options);
  const tally = { writes: 0, twice: 0 };
  let isFinishing = false;

  const insist = async (cookie: string, path: string, body?: URLSearchParams): Promise<string> => {
    const until = performance.now() + patienceMilliseconds;
    for (let attempt = 0; performance.now() < until; attempt += 1) {
      const ask = () => askIn(lab.anyUrl() + path, cookie, body);
      const answer = await asked.ask(ask, attempt > 0);
      if (answer) return answer.body as string;
    }
    throw new Error(`${path} was never acknowledged.`);
  };

  /** Fills in the form of a page to this address and sends it; now and then twice. */
  const send = async (
    cookie: string,
    page: string,
    action: string,
    typed: Record<string, string>,
    has = '',
  ): Promise<string> => {
    const { forms } = await partsOf(await insist(cookie, page), page);
    const form = forms.find(
      (one) => one.action === action && one.fields.some(({ name }) => name.startsWith(has)),
    );
    if (!form) throw new Error(`${page} has no form to ${action}.`);
    const body = new URLSearchParams();
    for (const [name, values] of Object.entries({ ...sentBy(form), ...typed }))
      for (const value of [values].flat()) body.append(name, value);
    const location = await insist(cookie, action, body);
    tally.writes += 1;
    if (happens(0.2) && (await insist(cookie, action, body)) !== location) tally.twice += 1;
    return location;
  };

  const words = (what: string) => `${what} ${Bun.randomUUIDv7()}`;
  const areaId = firm.practiceAreas.Family?.id ?? '';

  const work = async (cookie: string) => {
    while (!isFinishing) {
      const name = words('Caller');
      const path = await send(cookie, '/leads/new', '/leads/new', { lastName: name });
      const stageId = firm.leadStages.New ?? '';
      const lead: KnownLead = { name, stageId, notes: [], tasks: undefined };
      if (firm.known.has(path)) tally.twice += 1;
      firm.known.set(path, lead);
      const note = words('Called');
      await send(cookie, path, `${path}/notes`, { text: note }, 'text');
      lead.notes.push(note);
      const stage = among(Object.values(firm.leadStages));
      const moved = new URLSearchParams({ leadStageColumnId: stage });
      await insist(cookie, path, moved);
      tally.writes += 1;
      lead.stageId = stage;
      if (happens(0.5)) await hire(cookie, path, lead);
      await Bun.sleep(50 * random());
    }
  };

  const hire = async (cookie: string, path: string, lead: KnownLead) => {
    // The team's second row is left empty.
    const hired = { practiceAreaId: areaId, do: 'hire', 'team[1].memberId': '' };
    await send(cookie, path, `${path}/hire`, hired, 'practiceAreaId');
    lead.tasks = [];
    const matter = /href="\/matters\/([0-9a-f-]{36})"/.exec(await insist(cookie, path))?.[1];
    const title = words('Call');
    const page = `/tasks/new?matter=${matter}`;
    await send(cookie, page, page, { title, repeats: '' });
    lead.tasks.push(title);
  };

  const running = Promise.all(firm.cookies.map(work));
  running.catch((error) => asked.broken.push(String(error)));
  return {
    ...asked,
    tally,
    async finish() {
      isFinishing = true;
      await running.catch(() => {});
    },
  };
};
