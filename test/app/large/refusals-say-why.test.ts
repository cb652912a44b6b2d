/** Whoever is refused reads why, on the page that comes back: for every form of every page. */
import { expect, test } from 'bun:test';
import { pages } from '../../../src/app/pages.ts';
import { pageAt, walk } from '../../support/crawl.ts';
import { startTestServer } from '../../support/firm.ts';
import { fullOwner, makeFullFirm, startsOf } from '../../support/full-firm.ts';
import { ways } from '../../support/refused-ways.ts';
import { visitorOf } from '../../support/visitor.ts';

const server = await startTestServer();
const paths = pages.filter(({ method }) => method === 'GET').map(({ path }) => path);

/** What a page says aloud when it opens: why something was refused. */
const alertsOf = async (page: string) => {
  let said = '';
  const text = (chunk: HTMLRewriterTypes.Text) => {
    said += chunk.lastInTextNode ? `${chunk.text} ` : chunk.text;
  };
  const rewriter = new HTMLRewriter().on('main [role=alert]', { text });
  await rewriter.transform(new Response(page)).text();
  return said.trim();
};

/** Whether a browser may refuse a form of the page by itself: with a bubble, in words of its own. */
const isWordedByBrowser = async (page: string) => {
  let is = false;
  const element = () => {
    is = true;
  };
  const rules = ['required', 'pattern', 'min', 'max', 'type=email', 'type=url', 'type=number'];
  const rewriter = rules.reduce(
    (all, rule) => all.on(`form[method=post]:not([novalidate]) [${rule}]`, { element }),
    new HTMLRewriter(),
  );
  await rewriter.transform(new Response(page)).text();
  return is;
};

/** Words of programs: names of fields, of formats and of types. */
const ofPrograms = /\b[a-z]+[A-Z]\w*|YYYY-MM|\b(string|array|null|object|[A-Z]+_[A-Z]+)\b|\/v1\//;

test('Each form that is refused says why on its page, in words that a person reads', async () => {
  const firm = await makeFullFirm(server);
  const ada = await visitorOf(server, firm, fullOwner);
  const { texts, forms } = await walk(ada, startsOf(firm, paths), { max: 1 });
  const faults: string[] = [];
  for (const [address, text] of texts) {
    if (await isWordedByBrowser(text)) faults.push(`${address}: a browser words its refusals`);
  }
  const met = new Set<string>();
  const attempts = forms.flatMap(({ action, ...form }) =>
    ways.map((way) => ({ action, way: way.name, sent: way({ action, ...form }) })),
  );
  // A form that no page shows as things stand is sent with nothing in it.
  const shown = new Set(forms.map(({ action }) => pageAt(action, 'POST')));
  for (const page of pages) {
    if (page.method !== 'POST' || shown.has(page)) continue;
    const action = page.path.replaceAll(/:[^/]+/g, () => Bun.randomUUIDv7());
    attempts.push({ action, way: 'nothing', sent: {} });
  }
  for (const { action, way, sent } of attempts) {
    const path = pageAt(action, 'POST')?.path ?? action;
    // Signing out would end the walk.
    if (path === '/sign-out') continue;
    const { status, text } = await ada.post(action, sent);
    if (status >= 500) faults.push(`${path} ${way}: ${status}`);
    if (status !== 422) continue;
    met.add(path);
    const said = await alertsOf(text);
    if (!/ \w.*\.$/.test(said.replace(/^There is a problem/, '')))
      faults.push(`${path} ${way} says nothing: ${said}`);
    const odd = ofPrograms.exec(said);
    if (odd) faults.push(`${path} ${way} says ${odd[0]}: ${said.slice(0, 160)}`);
  }
  expect([...new Set(faults)]).toEqual([]);
  // What nothing refuses, proves nothing.
  expect(met.size).toBeGreaterThan(40);
});
