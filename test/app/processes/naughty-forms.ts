/** Whatever is typed into whatever field of whatever form, no answer and no page that shows it is a failure. */
import { expect, test } from 'bun:test';
import { pages } from '../../../src/app/pages.ts';
import {
  naughtyAt,
  rounds,
  severalAtOnce,
  startHeard,
  wholeMilliseconds,
} from '../../api/corpus/naughty.ts';
import { pageAt, sentBy, walk } from '../../support/crawl.ts';
import { sharedDatabase } from '../../support/database.ts';
import { fullOwner, makeFullFirm, startsOf } from '../../support/full-firm.ts';
import { visitorOf } from '../../support/visitor.ts';
import { partOf } from '../../support/whole.ts';

const paths = pages.filter(({ method }) => method === 'GET').map(({ path }) => path);

/** The parts of the application whose forms are filled: `work` is what is neither a setting nor of people. */
export type Part = 'settings' | 'people' | 'work';

const partOfForm = (action: string): Part => {
  if (action.startsWith('/settings')) return 'settings';
  return /^\/(contacts|leads)/.test(action) ? 'people' : 'work';
};

/**
 * Fills each text field of each form of one part, in a firm of its own: what one part adds, as fields
 * and views, would weigh on all pages of the others.
 */
export const fillForms = (part: Part) =>
  test(
    `every text field of every form of ${part} takes or refuses every naughty string, and every page still opens`,
    async () => {
      const server = await startHeard(await sharedDatabase());
      const firm = await makeFullFirm(server);
      const ada = await visitorOf(server, firm, fullOwner);
      const { forms } = await walk(ada, startsOf(firm, paths), { max: 1 });
      const typed = forms.filter(
        ({ action, fields }) =>
          partOfForm(action) === part &&
          fields.some(({ isTyped }) => isTyped) &&
          pageAt(action, 'POST')?.path !== '/sign-in/code',
      );
      expect(typed.length).toBeGreaterThan(10);
      const faults: string[] = [];
      const judge = (what: string, { status }: { status: number }) => {
        if (status >= 500) faults.push(`${status} ${what}`);
      };
      let taken = 0;
      for (const form of typed) {
        const names = form.fields.filter(({ isTyped }) => isTyped).map(({ name }) => name);
        const chosen = partOf(
          rounds,
          20,
          (one) => `${form.action.replaceAll(/[0-9a-f-]{36}/g, 'id')} ${one}`,
        );
        await severalAtOnce(chosen, async (round) => {
          // In all fields at once, and then in one alone: a refused neighbour hides nothing.
          for (const filled of [names, [names[round % names.length] ?? '']]) {
            const sent = sentBy(form);
            for (const [at, name] of filled.entries()) sent[name] = [naughtyAt(round, at)];
            delete sent.once;
            const what = `${form.action} ${JSON.stringify(sent).slice(0, 300)}`;
            const answer = await ada.post(form.action, sent);
            judge(what, answer);
            if (answer.status !== 303 || !answer.location) continue;
            taken += 1;
            judge(`${answer.location} after ${what}`, await ada.get(answer.location));
          }
        });
      }
      const after = await walk(ada, startsOf(firm, paths), { max: 1 });
      for (const address of after.texts.keys()) judge(address, await ada.get(address));
      expect(after.texts.size).toBeGreaterThan(60);
      expect(faults).toEqual([]);
      expect(await server.failures()).toEqual([]);
      // What nothing takes, nothing shows.
      expect(taken).toBeGreaterThan(100);
    },
    wholeMilliseconds,
  );
