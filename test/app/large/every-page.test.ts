/** What holds for every page and every form of the application, also for those that are yet to come. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { pages } from '../../../src/app/pages.ts';
import type { Page } from '../../../src/app/visit.ts';
import { type FoundForm, neededFor, pageAt, sentBy, walk } from '../../support/crawl.ts';
import { connect } from '../../support/database.ts';
import { makeFirm, owner, startTestServer } from '../../support/firm.ts';
import {
  administrator,
  everyPermission,
  type FullFirm,
  fullOwner,
  limited,
  makeFullFirm,
  secret,
  startsOf,
} from '../../support/full-firm.ts';
import { snapshotOf } from '../../support/snapshot.ts';
import { type PageAnswer, type Visitor, visitorOf, visitorWith } from '../../support/visitor.ts';
import { partOf } from '../../support/whole.ts';

const server = await startTestServer();
const sql = connect(server.databaseUrl);

/** Something that can be asked: a page by its address, or a form with what it sends. */
type Sample = { page: Page; address: string; fields?: Record<string, string[]> };

let firm: FullFirm;
let [ada, max, stranger]: Visitor[] = [];
let samples: Sample[] = [];
let forms: FoundForm[] = [];
let texts: Map<string, string>;
const isId = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

const paths = (method: Page['method']) =>
  pages.filter((page) => page.method === method).map(({ path }) => path);

beforeAll(async () => {
  firm = await makeFullFirm(server);
  const other = await makeFirm(server);
  [ada, max, stranger] = await Promise.all([
    visitorOf(server, firm, fullOwner),
    visitorOf(server, firm, administrator),
    visitorOf(server, other, owner),
  ]);
  const seen = await walk(ada as Visitor, startsOf(firm, paths('GET')), {
    apart: firm.hidden,
  });
  ({ forms, texts } = seen);
  const met = [
    ...[...seen.texts.keys()].map((address) => ({ page: pageAt(address), address })),
    ...forms.map((form) => ({
      page: pageAt(form.action, 'POST'),
      address: form.action,
      fields: sentBy(form),
    })),
  ].filter((one): one is Sample => one.page !== undefined);
  const known = new Set(met.map(({ page }) => page));
  const unmet = pages.filter((page) => !known.has(page));
  // A walk that meets little would prove little.
  expect(unmet.length, unmet.map(({ path }) => path).join()).toBeLessThan(pages.length / 7);
  samples = [...met, ...unmet.map(unmetSample)];
});

const idsIn = (text: string) => [...text.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id);

test('A page has no id twice, and each link to a part of a page leads to that part', () => {
  const faults: string[] = [];
  const pagesWith = [...texts].filter(([, text]) => text.startsWith('<!'));
  const ids = new Map<string, Set<string>>();
  for (const [address, text] of pagesWith) {
    const found = idsIn(text);
    const twice = found.filter((id, at) => found.indexOf(id) !== at);
    if (twice.length > 0) faults.push(`${address} has twice: ${twice}`);
    const path = address.replace(/[?#].*/, '');
    ids.set(path, new Set([...(ids.get(path) ?? []), ...found]));
  }
  for (const [address, text] of pagesWith) {
    for (const [, path = '', part = ''] of text.matchAll(/href="(\/[^"?#]*)#([^"]+)"/g)) {
      if (ids.get(path)?.has(part) === false) faults.push(`${address} links to ${path}#${part}`);
    }
  }
  expect([...new Set(faults)]).toEqual([]);
});

/** A page that no link leads to as things stand is asked with ids that nothing has. */
const unmetSample = (page: Page): Sample => {
  const address = page.path.replaceAll(/:[^/]+/g, () => Bun.randomUUIDv7());
  return { page, address, ...(page.method === 'POST' && { fields: {} }) };
};

const ask = (visitor: Visitor | undefined, { address, fields }: Sample): Promise<PageAnswer> => {
  if (!visitor) throw new Error('There is nobody to ask.');
  return fields ? visitor.post(address, fields) : visitor.get(address);
};

/** Says of each answer what is wrong with it, all at once, so that one run shows every page at fault. */
const faultsOf = async (
  chosen: readonly Sample[],
  judge: (sample: Sample) => Promise<string | false>,
) => {
  const faults: string[] = [];
  for (const sample of chosen) {
    const fault = await judge(sample);
    const what = `${sample.page.method} ${sample.address} ${JSON.stringify(sample.fields ?? {})}`;
    if (fault) faults.push(`${what.slice(0, 200)}: ${fault}`);
  }
  return faults;
};

const unchanged = async (work: () => Promise<void>) => {
  const before = await snapshotOf(sql, firm.id);
  await work();
  expect(await snapshotOf(sql, firm.id)).toEqual(before);
};

const isClosed = ({ page }: Sample) => page.admission !== 'open';
const pathOf = (address: string) => address.split('?')[0] ?? '';

describe('Every page and form', () => {
  test('sends who is not signed in, or no longer, to sign in, and changes nothing', async () => {
    const ended = await visitorOf(server, firm, administrator);
    expect((await ended.post('/sign-out')).status).toBe(303);
    await unchanged(async () => {
      for (const nobody of [visitorWith(server.url, ''), ended]) {
        const faults = await faultsOf(samples.filter(isClosed), async (sample) => {
          const { status, location, text } = await ask(nobody, sample);
          const to = sample.fields ? '/' : (URL.parse(sample.address, 'http://x') as URL);
          const back = typeof to === 'string' ? to : to.pathname + to.search;
          const asked = URL.parse(location ?? '', 'http://x');
          if (status !== 303 || asked?.pathname !== '/sign-in') return `${status} ${location}`;
          const query = new URL(asked.searchParams.get('to') ?? '', 'http://x');
          const isBack = decodeURIComponent(query.pathname + query.search).replaceAll('+', ' ');
          if (isBack !== decodeURIComponent(back).replaceAll('+', ' ')) return `to ${isBack}`;
          return text !== '' && 'it says something';
        });
        expect(faults).toEqual([]);
      }
    });
  });

  test('is refused to a role without its permission, with the owners’ names, and changes nothing', async () => {
    const lim = await visitorOf(server, firm, limited);
    const closed = samples.flatMap((sample) =>
      neededFor(sample.page).map((needed) => ({ ...sample, needed })),
    );
    expect(closed.length).toBeGreaterThan(40);
    for (const [needed, chosen] of Map.groupBy(closed, (one) => one.needed)) {
      const permissions = everyPermission.filter((one) => one !== needed);
      await sql`update role set permissions = ${permissions} where firm_id = ${firm.id}
        and id = (select role_id from member where firm_id = ${firm.id} and email = ${limited})`;
      await unchanged(async () => {
        const faults = await faultsOf(chosen, async (sample) => {
          const { status, text } = await ask(lim, sample);
          if (status !== 403) return `${status} without ${needed}`;
          return (
            !/Your role does not include this (page|change)\..*Ada Harrow can give you access\./s.test(
              text,
            ) && text
          );
        });
        expect(faults).toEqual([]);
      });
    }
  });

  test('is refused from another site, or without an origin, and changes nothing', async () => {
    const cookie = await cookieOf(fullOwner);
    const forged: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none', origin: server.url },
      {},
      { origin: 'https://elsewhere.example' },
      { origin: 'null' },
    ];
    const sent = samples.filter(({ fields }) => fields);
    await unchanged(async () => {
      for (const headers of forged) {
        const way = JSON.stringify(headers);
        const some = partOf(sent, forged.length, ({ page }) => `${page.path} ${way}`);
        const faults = await faultsOf(some, async ({ address, fields = {} }) => {
          const body = new URLSearchParams();
          for (const [name, values] of Object.entries(fields)) {
            for (const value of values) body.append(name, value);
          }
          const answer = await fetch(server.url + address, {
            method: 'POST',
            body,
            redirect: 'manual',
            headers: { accept: 'text/html', cookie, ...headers },
          });
          const text = await answer.text();
          if (answer.headers.has('set-cookie')) return 'it sets a cookie';
          return (
            !(answer.status === 403 && text.includes('Nothing was changed')) && `${answer.status}`
          );
        });
        expect(faults, way).toEqual([]);
      }
    });
  });
});

const cookieOf = async (email: string) => {
  const { memberBrowser } = await import('../../support/app.ts');
  return (await memberBrowser(server, firm, email)).cookie;
};

/** The same, about what nothing has: every id in its path is a fresh one. */
const aboutNothing = (sample: Sample): Sample => ({
  ...sample,
  address: pathOf(sample.address).replaceAll(isId, () => Bun.randomUUIDv7()),
});

const namesRecord = ({ address, page }: Sample) =>
  isClosed({ page, address }) && pathOf(address).search(isId) >= 0;

/** Answers as to what is not there, to the byte. */
const expectNothingThere = async (visitor: Visitor | undefined, chosen: Sample[]) => {
  const faultOf = async (sample: Sample) => {
    const answer = await ask(visitor, sample);
    const unknown = await ask(visitor, aboutNothing(sample));
    if (unknown.status !== 404) return `${unknown.status} for what nobody has`;
    if (answer.status !== 404) return `${answer.status}`;
    return answer.text !== unknown.text && 'it differs from what is unknown';
  };
  // Both pages count the unread notices: one may arrive in between, but not twice.
  const faults = await faultsOf(
    chosen,
    async (sample) => (await faultOf(sample)) && faultOf(sample),
  );
  expect(faults).toEqual([]);
};

describe('What is not for a reader', () => {
  test('of another firm is as if it were not there, at every page and form', async () => {
    const chosen = samples.filter(namesRecord);
    expect(chosen.length).toBeGreaterThan(40);
    await unchanged(() => expectNothingThere(stranger, chosen));
  });

  test('of another firm does nothing in a form’s fields or a page’s filter, and shows nothing', async () => {
    const names = await sql<{ name: string }[]>`
      select name from contact where firm_id = ${firm.id} and length(name) > 6`;
    const chosen = samples.filter((one) => !namesRecord(one) && one.page.path !== '/sign-out');
    await unchanged(async () => {
      const faults = await faultsOf(chosen, async (sample) => {
        const { status, text } = await ask(stranger, sample);
        if (status >= 500) return `${status}`;
        return names.find(({ name }) => text.includes(name))?.name ?? false;
      });
      expect(faults).toEqual([]);
    });
  });

  test('of a private lead is as if it were not there, at every page and form', async () => {
    const isAbout = (text: string) => firm.hidden.some((id) => text.includes(id));
    const own = samples.filter(({ address }) => isAbout(pathOf(address)));
    expect(own.filter(({ fields }) => fields).length).toBeGreaterThan(8);
    const others = samples
      .filter((one) => namesRecord(one) && !one.fields && !own.includes(one))
      .flatMap((one) =>
        firm.hidden.map((id) => ({
          ...one,
          address: pathOf(one.address).replaceAll(isId, () => id),
        })),
      );
    const about = own.filter(({ page }) => page.admission !== 'owner');
    await unchanged(() => expectNothingThere(max, [...about, ...others]));
    const asked = samples.filter((one) => !own.includes(one) && isAbout(one.address));
    expect(asked.length).toBeGreaterThan(1);
    const shown = async (one: Sample) =>
      (await ask(max, one)).text.includes(secret) && 'it is shown';
    expect(await faultsOf(asked, shown)).toEqual([]);
  });

  test('of a private lead does nothing in a form’s fields', async () => {
    const hidden = firm.leads.hidden;
    const leads = await sql<{ id: string }[]>`select id from lead where firm_id = ${firm.id}`;
    const isLead = new Set(leads.map(({ id }) => id));
    const swap = (text: string) =>
      text.replaceAll(isId, (id) => (isLead.has(id) ? (hidden ?? '') : id));
    const chosen = samples.flatMap((one) => {
      const pairs = Object.entries(one.fields ?? {});
      const fields = Object.fromEntries(pairs.map(([name, values]) => [name, values.map(swap)]));
      return one.fields && JSON.stringify(fields).includes(hidden) ? [{ ...one, fields }] : [];
    });
    expect(chosen.length).toBeGreaterThan(2);
    await unchanged(async () => {
      const faults = await faultsOf(chosen, async (sample) => {
        const { status, text } = await ask(max, sample);
        if (status < 400 || status >= 500) return `${status}`;
        return text.includes(secret) && 'it names what is hidden';
      });
      expect(faults).toEqual([]);
    });
  });
});
