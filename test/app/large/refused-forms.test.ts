/** A refused form shows nothing that its sender could not open: for every form, and a role for each permission. */
import { expect, test } from 'bun:test';
import { pages } from '../../../src/app/pages.ts';
import { makesFile, neededFor, pageAt, walk } from '../../support/crawl.ts';
import { startTestServer } from '../../support/firm.ts';
import {
  everyPermission,
  fullOwner,
  limited,
  makeFullFirm,
  mayOnly,
  startsOf,
  wordsOf,
} from '../../support/full-firm.ts';
import { ways } from '../../support/refused-ways.ts';
import { type Visitor, visitorOf } from '../../support/visitor.ts';

const server = await startTestServer();
const paths = pages.filter(({ method }) => method === 'GET').map(({ path }) => path);

const firm = await makeFullFirm(server);
const ada = await visitorOf(server, firm, fullOwner);
const seen = await walk(ada, startsOf(firm, paths), { max: 1 });
// Signing out would end the walk.
const forms = seen.forms.filter(({ action }) => pageAt(action, 'POST')?.path !== '/sign-out');
// The pages of the records that forms are about: one from the inbox is about a matter whose page the walk left out.
const about = forms.map(({ action }) => (/^\/[a-z]+\/[\w-]+/.exec(action) ?? [''])[0]);
const isPage = (address: string) => pageAt(address) !== undefined;
const addresses = [...new Set([...seen.texts.keys(), ...about.filter(isPage)])];
const words = await wordsOf(server.databaseUrl, firm.id);
const more = `show=overdue&status=NOT_HIRED&member=${firm.members[fullOwner]}`;
const island = { 'x-sent-by': 'island', accept: 'application/json' };
// A form may need several permissions: then a role has just these. A file is no refusal: whoever may
// have it reads what is in it.
const several = forms.flatMap(({ action }) => {
  const page = pageAt(action, 'POST');
  const needed = page ? neededFor(page) : [];
  if (needed.length < 2 || makesFile(action)) return [];
  return [[needed.toSorted().join(), needed] as const];
});
const roles = [[], ...everyPermission.map((one) => [one]), ...new Map(several).values()];
let [again, alone] = [0, 0];

test.each(
  roles.map((permissions) => [permissions.join(' and ') || 'nothing', permissions] as const),
)(
  'A refused form shows no name, title or number that a page would not show its sender, who may do %s',
  async (_, permissions) => {
    await mayOnly(server.databaseUrl, firm.id, [...permissions]);
    const allowed = new Set<string>(permissions);
    const lim = await visitorOf(server, firm, limited);
    const open = await shownTo(lim, addresses, words);
    const faults: string[] = [];
    for (const form of forms) {
      const page = pageAt(form.action, 'POST');
      const needed = page ? neededFor(page) : [];
      const isAllowed = needed.length > 0 && needed.every((one) => allowed.has(one));
      const isSent = page?.admission === 'member' || isAllowed;
      // Who may not send a form at all is told the same however it is filled.
      for (const way of isSent ? ways : ways.slice(0, 1)) {
        const [path, query = ''] = form.action.split('?');
        // Also where the page would show more (late tasks, leads not hired), and to a script.
        const asked = [
          ['', {}],
          [more, {}],
          ['', island],
        ] as const;
        for (const [added, headers] of isSent ? asked : asked.slice(0, 1)) {
          const address = `${path}?${query}&${added}`;
          const { status, text } = await lim.post(address, way(form), headers);
          if (status === 422) again += 1;
          if (status === 400 || status === 409) alone += 1;
          const told = words.filter((word) => text.includes(word) && !open.has(word));
          if (told.length > 0 || status >= 500)
            faults.push(`${way.name} ${address}: ${status} ${told.slice(0, 5)}`);
        }
      }
    }
    expect(faults).toEqual([]);
  },
);

test('Of these forms many were refused, and many words could have been shown', () => {
  expect(words.length).toBeGreaterThan(60);
  expect(again).toBeGreaterThan(100);
  expect(alone).toBeGreaterThan(50);
});

/** Those of the words that the pages show to a member. */
const shownTo = async (
  visitor: Visitor,
  addresses: readonly string[],
  words: readonly string[],
) => {
  const shown = new Set<string>();
  for (const address of addresses) {
    const { status, text } = await visitor.get(address);
    if (status !== 200) continue;
    for (const word of words) if (text.includes(word)) shown.add(word);
  }
  return shown;
};
