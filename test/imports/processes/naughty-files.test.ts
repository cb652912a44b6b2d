/** Whatever a file is called and whatever is in it, it is read or refused, and every page that shows it opens. */
import { expect, test } from 'bun:test';
import {
  naughtyAt,
  rounds,
  severalAtOnce,
  startHeard,
  wholeMilliseconds,
} from '../../api/corpus/naughty.ts';
import { sharedDatabase } from '../../support/database.ts';
import { makeFirm, owner } from '../../support/firm.ts';
import { formOf, untilSaid } from '../../support/imports.ts';
import { visitorOf } from '../../support/visitor.ts';
import { partOf } from '../../support/whole.ts';

const columnsOf = {
  contact: ['lastName', 'firstName', 'emails', 'phones'],
  lead: ['lastName', 'firstName', 'emails', 'value'],
  matter: ['title', 'description', 'client', 'formerNumber'],
};
const kinds = Object.keys(columnsOf) as (keyof typeof columnsOf)[];

/** A name that is cut within a character, and what only a file's name may have in it. */
const namesToo = [`${'x'.repeat(254)}🗻.csv`, 'a\0b.csv', '\ud800.csv', 'a"b\r\nc.csv', '.', '..'];

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** Headings, a row of naughty strings, one with a single one, and the same without quotation marks. */
const csvOf = (round: number) => {
  const at = (first: number) => [0, 1, 2, 3].map((cell) => naughtyAt(round, first + cell));
  const plain = ['Quill', 'Zoe', '', ''];
  const rows = [at(4), [naughtyAt(round, 8), ...plain.slice(1)], ['Quill', naughtyAt(round, 9)]];
  const isQuoted = round % 4 > 0;
  return [at(0), ...rows, plain]
    .map((cells) => cells.map((cell) => (isQuoted ? quoted(cell) : cell)).join(','))
    .join('\n');
};

test(
  'every naughty string as a file’s name, heading and cell is imported or refused',
  async () => {
    const server = await startHeard(await sharedDatabase());
    const firm = await makeFirm(server);
    const ada = await visitorOf(server, firm, owner);
    const faults: string[] = [];
    const judge = <Answer extends { status: number }>(what: string, answer: Answer) => {
      if (answer.status >= 500) faults.push(`${answer.status} ${what}`);
      return answer;
    };
    let [taken, imported] = [0, 0];
    const bring = async (round: number, name: string, content: string) => {
      const kind = kinds[round % kinds.length] ?? 'contact';
      const what = `${kind} ${JSON.stringify(name)} ${JSON.stringify(content)}`.slice(0, 400);
      const file = new File([content], name, { type: 'text/csv' });
      const { location } = judge(what, await ada.upload('/settings/imports', { kind }, file));
      if (!location) return;
      taken += 1;
      judge(`${location} of ${what}`, await ada.get(location));
      const columns = await formOf(ada, location);
      columns.separator = ',';
      for (const [at, key] of columnsOf[kind].entries()) columns[`column.${at}`] = key;
      // A heading also becomes the name of a field.
      if (round % 8 === 0) columns['column.3'] = 'new';
      judge(`columns of ${what}`, await ada.post(`${location}/columns`, columns));
      judge(`preview of ${what}`, await ada.get(location));
      const { status } = judge(`begin ${what}`, await ada.post(`${location}/begin`));
      if (status === 303) {
        await untilSaid(ada, location, 'Imported.');
        imported += 1;
      }
      judge(`refused rows of ${what}`, await ada.get(`${location}/refused`));
    };
    const chosen = partOf(rounds, 12, String);
    await severalAtOnce(chosen, (round) => bring(round, naughtyAt(round, 0), csvOf(round)));
    for (const [at, name] of namesToo.entries()) await bring(at, name, 'Last name\nQuill\n');
    const pages = ['/settings/imports', '/contacts', '/leads?view=list', '/matters?view=list'];
    for (const path of [...pages, '/settings/audit', '/settings/fields']) {
      const { status } = judge(path, await ada.get(path));
      expect({ path, status }).toEqual({ path, status: 200 });
    }
    expect(faults).toEqual([]);
    expect(await server.failures()).toEqual([]);
    // What nothing takes, nothing shows.
    expect(taken).toBeGreaterThan(chosen.length / 2);
    expect(imported).toBeGreaterThan(chosen.length / 4);
  },
  wholeMilliseconds,
);
