/** A file of matters: clients found by name, members by name or address, and old numbers kept. */
import { expect, test } from 'bun:test';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';
import {
  bringIn,
  checkRows,
  formOf,
  refusedIn,
  saidBy,
  untilSaid,
  uploadCsv,
} from '../support/imports.ts';
import { visitorOf } from '../support/visitor.ts';

const server = await startTestServer();

const heads =
  'status,location,description,open_date,close_date,custom_number,client_first_name,client_last_name,client_company_name,responsible_attorney,practice_area';
const clio = [
  heads,
  'Open,Court 1,Quill v. Rook,01/31/2020,,2019-0042,Zoe,Quill,,Ben Lane,Family',
  'Closed,,Old estate,12/01/2015,03/02/2016,2015-7,,,Rook Ltd,ben@harrow.example,Estates',
  'Pending,,No such client,01/02/2020,,8,No,Body,,,Family',
  'Open,,Two of a name,01/02/2020,,9,Kit,Moss,,,Family',
  'Asleep,,Odd status,01/02/2020,,10,Zoe,Quill,,,Family',
  'Open,,Odd day,31/31/2020,,11,Zoe,Quill,,,Family',
  'Open,,Of the usual area,,,12,Zoe,Quill,,,',
  'Open,,Again,01/31/2020,,2019-0042,Zoe,Quill,,,Family',
].join('\n');

test('Clio’s matters come in as previewed, are found by their old number, and go again', async () => {
  const firm = await makeFirm(server);
  const api = firm.owner;
  const ada = await visitorOf(server, firm, owner);
  const ben = await visitorOf(server, firm, attorney);
  for (const body of [
    { firstName: 'Zoe', lastName: 'Quill' },
    { type: 'COMPANY', companyName: 'Rook Ltd' },
    { firstName: 'Kit', lastName: 'Moss' },
    { firstName: 'Kit', lastName: 'Moss' },
  ]) {
    await api.post('/v1/contacts', body);
  }
  const path = await uploadCsv(ada, 'matter', clio, 'matters.csv');
  expect(await formOf(ada, path)).toMatchObject({
    dayOrder: 'MDY',
    practiceAreaId: firm.practiceAreas.Family?.id,
    'column.0': 'status',
    'column.1': '',
    'column.2': 'title',
    'column.3': 'openDate',
    'column.5': 'formerNumber',
    'column.8': 'clientCompany',
    'column.9': 'responsibleAttorney',
  });
  const preview = await checkRows(ada, path);
  expect(saidBy(preview)).toEqual({ made: 3, known: 1, refused: 4 });
  expect(refusedIn(preview)).toEqual([
    ['4', 'Client is not among the contacts: import the contacts first.'],
    ['5', 'Client is the name of several contacts: add a column with the email.'],
    ['6', 'Status must be Open, Pending or Closed. The file has “Asleep”.'],
    ['7', 'Opened must be a date in the chosen date format. The file has “31/31/2020”.'],
  ]);
  const result = await bringIn(ada, path);
  expect([saidBy(result), refusedIn(result)]).toEqual([saidBy(preview), refusedIn(preview)]);
  const { data } = (await api.get('/v1/matters')).body;
  expect(data).toMatchObject([
    { title: 'Of the usual area', practiceArea: { name: 'Family' } },
    { title: 'Old estate', status: 'ARCHIVE', openDate: '2015-12-01', closeDate: '2016-03-02' },
    {
      title: 'Quill v. Rook',
      status: 'ACTIVE',
      clients: [{ name: 'Zoe Quill', isPrimary: true }],
      team: [{ name: 'Ben Lane', role: 'RESPONSIBLE_ATTORNEY' }],
    },
  ]);
  const found = await api.get('/v1/search?q=2019-0042');
  expect(found.body.data.map(({ id }: { id: string }) => id)).toEqual([data[2].id]);
  expect((await ben.get('/inbox')).text).not.toContain('Added to a matter');
  await api.patch(`/v1/matters/${data[1].id}`, { description: 'Seen.' });
  await ada.post(`${path}/undo`);
  const undone = await untilSaid(ada, path, 'Undone.');
  expect(undone).toContain(`href="/matters/${data[1].id}"`);
  expect((await api.get('/v1/matters')).body.pagination.total).toBe(1);
  expect((await ben.get('/inbox')).text).not.toContain('Matter deleted');
});

test('German columns fill the fields that they name', async () => {
  const firm = await makeFirm(server);
  const ada = await visitorOf(server, firm, owner);
  const german = [
    'Aktenzeichen;Mandat;Rechtsgebiet;Angelegt am;Verjährung;Vorname Mandant;Mandant Nachname',
    'Rechtsanwalt;Notizen;Straße',
  ].join(';');
  const path = await uploadCsv(ada, 'matter', `${german}\n1/26;Quill ./. Rook;;;;;;;;\n`);
  expect(await formOf(ada, path)).toMatchObject({
    'column.0': 'formerNumber',
    'column.1': 'title',
    'column.2': 'practiceArea',
    'column.3': 'openDate',
    'column.4': 'solDate',
    'column.5': 'clientFirstName',
    'column.6': 'clientLastName',
    'column.7': 'responsibleAttorney',
    'column.8': 'description',
    'column.9': '',
  });
});
