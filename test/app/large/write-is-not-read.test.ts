/** Who may write and not read learns of no record: not on a page for new ones, not on that of a deleted one. */
import { expect, test } from 'bun:test';
import { pages } from '../../../src/app/pages.ts';
import { walk } from '../../support/crawl.ts';
import { connect } from '../../support/database.ts';
import { startTestServer } from '../../support/firm.ts';
import {
  administrator,
  everyPermission,
  fullOwner,
  limited,
  makeFullFirm,
  mayOnly,
  secret,
  startsOf,
  wordsOf,
} from '../../support/full-firm.ts';
import { visitorOf } from '../../support/visitor.ts';

const server = await startTestServer();
const paths = pages.filter(({ method }) => method === 'GET').map(({ path }) => path);
const firm = await makeFullFirm(server);
const ada = await visitorOf(server, firm, fullOwner);

const writes = everyPermission.filter((one) => one.endsWith(':write'));

test('No page shows a name, title or number of a record to a role that only writes', async () => {
  const seen = await walk(ada, startsOf(firm, paths), { max: 1 });
  const idIn = (kind: string) =>
    firm.states.map((one) => new RegExp(`^/${kind}/([\\w-]{36})$`).exec(one)?.[1]).find(Boolean);
  const prefilled = [
    `/tasks/new?matter=${idIn('matters')}`,
    `/calendar/new?matter=${idIn('matters')}`,
    `/matters/new?client=${idIn('contacts')}`,
  ];
  for (const address of prefilled) expect((await ada.get(address)).status).toBe(200);
  const addresses = [...seen.texts.keys(), ...prefilled];
  const words = await wordsOf(server.databaseUrl, firm.id);
  expect(words.length).toBeGreaterThan(60);
  const faults: string[] = [];
  let opened = 0;
  for (const permissions of [...writes.map((one) => [one]), writes]) {
    await mayOnly(server.databaseUrl, firm.id, permissions);
    const lim = await visitorOf(server, firm, limited);
    for (const address of addresses) {
      const { status, text } = await lim.get(address);
      if (status === 200) opened += 1;
      const told = words.filter((word) => text.includes(word));
      if (told.length > 0) faults.push(`${permissions} ${address}: ${told.slice(0, 5)}`);
    }
  }
  expect(faults).toEqual([]);
  // What opens nothing, proves nothing.
  expect(opened).toBeGreaterThan(100);
});

test('A deleted lead and a deleted matter are shown to who reads and writes them, and to nobody else', async () => {
  const matter = firm.states.find((one) => /^\/matters\/.*\/deleted$/.test(one)) ?? '';
  const lead = `/leads/${firm.leads.gone}/deleted`;
  for (const [kind, address] of [
    ['leads', lead],
    ['matters', matter],
  ] as const) {
    const statuses: number[] = [];
    for (const permissions of [
      [`${kind}:read`, `${kind}:write`],
      [`${kind}:write`],
      [`${kind}:read`],
    ]) {
      await mayOnly(server.databaseUrl, firm.id, permissions);
      const lim = await visitorOf(server, firm, limited);
      statuses.push((await lim.get(address)).status);
    }
    expect({ kind, statuses }).toEqual({ kind, statuses: [200, 403, 403] });
  }
});

test('A deleted private lead is the same to others as one that there never was, and is not restored', async () => {
  const { hidden } = firm.leads;
  expect((await ada.post(`/leads/${hidden}/delete`)).status).toBe(303);
  const max = await visitorOf(server, firm, administrator);
  const answersOf = async (id: string) => {
    const all = [
      await max.get(`/leads/${id}/deleted`),
      await max.post(`/leads/${id}/restore`),
      await max.post(`/settings/deleted/leads/${id}/restore`),
    ];
    return all.map(({ status, location, text }) => ({
      status,
      location,
      text: text.replaceAll(id, 'ID'),
    }));
  };
  const [private_, none] = [await answersOf(hidden), await answersOf(Bun.randomUUIDv7())];
  expect(private_).toEqual(none);
  expect(private_.map(({ status }) => status)).toEqual([404, 404, 404]);
  expect((await ada.get(`/leads/${hidden}/deleted`)).status).toBe(200);
  expect((await ada.post(`/leads/${hidden}/restore`)).location).toBe(`/leads/${hidden}`);
  expect((await ada.get(`/leads/${hidden}`)).text).toContain(secret);
});

test('Who restores a merged contact without reading contacts is not told its name', async () => {
  const sql = connect(server.databaseUrl);
  const [merge] = await sql<{ id: string; name: string }[]>`
    select contact.id, contact.name from contact_merge join contact
      on contact.firm_id = contact_merge.firm_id and contact.id = contact_merge.merged_id
    where contact_merge.firm_id = ${firm.id} and contact_merge.undone_at is null`;
  await sql.end();
  await mayOnly(server.databaseUrl, firm.id, ['contacts:write']);
  const lim = await visitorOf(server, firm, limited);
  const { status, text } = await lim.post(`/settings/deleted/contacts/${merge?.id}/restore`);
  expect({ status, isNamed: text.includes(merge?.name ?? '') }).toEqual({
    status: 409,
    isNamed: false,
  });
});
