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

/** Words of programs: names of fields, of formats and of types. */
const ofPrograms = /\b[a-z]+[A-Z]\w*|YYYY-MM|\b(string|array|null|object|[A-Z]+_[A-Z]+)\b|\/v1\//;

test('Each form that is refused says why on its page, in words that a person reads', async () => {
  const firm = await makeFullFirm(server);
  const ada = await visitorOf(server, firm, fullOwner);
  const { forms } = await walk(ada, startsOf(firm, paths), { max: 1 });
  const faults: string[] = [];
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
    if (!/ \w.*\.$/.test(said.replace(/^This (could not be done|is not saved yet)/, '')))
      faults.push(`${path} ${way} says nothing: ${said}`);
    const odd = ofPrograms.exec(said);
    if (odd) faults.push(`${path} ${way} says ${odd[0]}: ${said.slice(0, 160)}`);
  }
  expect([...new Set(faults)]).toEqual([]);
  // What nothing refuses, proves nothing.
  expect(met.size).toBeGreaterThan(40);
});
