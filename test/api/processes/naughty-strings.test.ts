/** Whatever text an integrator sends in whatever field, no answer and no page that shows it is a failure. */
import { expect, test } from 'bun:test';
import { resources } from '../../../src/contents.ts';
import { sharedDatabase } from '../../support/database.ts';
import { caller, makeFirm, owner } from '../../support/firm.ts';
import { type Sample, samples } from '../../support/samples.ts';
import { visitorOf } from '../../support/visitor.ts';
import { partOf } from '../../support/whole.ts';
import { bodyWith, fieldsOf, isReference } from '../corpus/fields.ts';
import {
  naughtyAt,
  rounds,
  severalAtOnce,
  startHeard,
  wholeMilliseconds,
} from '../corpus/naughty.ts';

/** The pages that show a record of the API. */
const pagesOf: Record<string, (id: string, contact?: string) => string[]> = {
  contacts: (id) => [`/contacts/${id}`, `/contacts/${id}/merge`],
  leads: (id, contact) => [`/leads/${id}`, `/leads/${id}?do=hire`, `/contacts/${contact}`],
  matters: (id) => [`/matters/${id}`],
  'practice-areas': (id) => [`/settings/practice-areas/${id}`],
};

test(
  'every text field of every create and update takes or refuses every naughty string, and so does the search',
  async () => {
    const server = await startHeard(await sharedDatabase());
    const firm = await makeFirm(server);
    const ada = await visitorOf(server, firm, owner);
    const api = caller(server.url, firm.owner.key);
    const faults: string[] = [];
    const judge = (what: string, { status }: { status: number }) => {
      if (status >= 500) faults.push(`${status} ${what}`);
      return status;
    };
    let stored = 0;
    for (const { name } of resources) {
      const sample = samples[name] as Sample;
      const list = await sample.list(firm);
      for (const action of ['create', 'update'] as const) {
        const fields = fieldsOf(name, action).filter(
          (field) => field.schema.type === 'string' && !field.schema.enum && !isReference(field),
        );
        const made = await api.post(`/v1/${name}`, await sample.create(firm));
        const chosen = partOf(rounds, 12, (one) => `${name} ${action} ${one}`);
        await severalAtOnce(chosen, async (round) => {
          // Some fields at once, and then one alone: a refused neighbour hides nothing.
          const all = fields.map(
            (field, at) => [field, naughtyAt(round, at)] as [typeof field, string],
          );
          const alone = all.slice(round % Math.max(1, all.length)).slice(0, 1);
          for (const values of [all, alone]) {
            const needs = {
              team: { memberId: firm.members[owner] },
              stages: { name: 'Intake' },
              emails: { address: 'zoe@quill.example' },
              phones: { number: '+1 555 0100' },
            };
            const base = action === 'create' ? await sample.create(firm) : {};
            const body = bodyWith(base as Record<string, unknown>, values, needs);
            const what = `${action} ${name} ${JSON.stringify(body).slice(0, 300)}`;
            const answer = await (action === 'create'
              ? api.post(`/v1/${name}`, body)
              : api.patch(`/v1/${name}/${made.body.data.id}`, body));
            if (judge(what, answer) >= 300) continue;
            stored += 1;
            const { id, contact } = answer.body.data;
            for (const path of pagesOf[name]?.(id, contact?.id) ?? []) {
              judge(`${path} after ${what}`, await ada.get(path));
            }
          }
        });
        judge(list, await api.get(list));
      }
    }
    await severalAtOnce(partOf(rounds, 12, String), async (round) => {
      const words = encodeURIComponent(naughtyAt(round, 0).toWellFormed().slice(0, 300));
      judge(`search ${words}`, await api.get(`/v1/search?q=${words}`));
      judge(`page search ${words}`, await ada.get(`/search?q=${words}`));
    });
    expect(faults).toEqual([]);
    expect(await server.failures()).toEqual([]);
    // What nothing stores, nothing shows.
    expect(stored).toBeGreaterThan(100);
  },
  wholeMilliseconds,
);
