/** The control sheet: all dates of the next days on one page, and its signed file, proved without a database. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { fingerprintOf, makeInstallationKey } from '../../src/base/installation-key.ts';
import {
  attorney,
  bookkeeper,
  type Firm,
  makeFirm,
  owner,
  startTestServer,
} from '../support/firm.ts';
import { attributeIn, partsIn, textIn, textsIn } from '../support/html.ts';
import { startSigningServer } from '../support/signing.ts';
import { run } from '../support/terminal.ts';
import { untilItDoes as until } from '../support/until.ts';
import { visitorOf } from '../support/visitor.ts';

const server = await startSigningServer();
const { databaseUrl, key, keyFile, folder } = server;

const path = '/calendar/control-sheet';

const dayFrom = (days: number) =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

const openMatter = async (firm: Firm, title: string, more: object = {}) => {
  const { body } = await firm.owner.post('/v1/matters', {
    practiceAreaId: firm.practiceAreas.Family?.id,
    openDate: '2026-01-01',
    title,
    team: [{ memberId: firm.members[attorney] }],
    ...more,
  });
  return body.data as { id: string; publicId: string };
};

/** A matter with a limitation date that is asked about, one in two months, a late task and an event. */
const busyFirm = async () => {
  const firm = await makeFirm(server);
  const [ada, ben] = [
    await visitorOf(server, firm, owner),
    await visitorOf(server, firm, attorney),
  ];
  const near = await openMatter(firm, 'Quill <b> v. Rook', { solDate: dayFrom(6) });
  await openMatter(firm, 'Later v. Never', { solDate: dayFrom(50) });
  const about = ['--matter', near.id, '--title'];
  await firm.command(['task', 'add', ...about, 'File the answer']);
  const [task] = await firm.command<{ id: string }[]>(['task', 'list']);
  await ada.post(`/tasks/${task?.id}`, {
    title: 'File the answer',
    dueOn: dayFrom(-3),
    assigneeId: firm.members[owner] ?? '',
  });
  await firm.command(['event', 'add', ...about, 'Hearing', '--starts', `${dayFrom(4)}T09:30:00Z`]);
  await until(async () => (await ben.get('/inbox')).text.includes('limitation/acknowledged'));
  return { firm, ada, ben, near };
};

const linesOf = (page: string) =>
  partsIn(page, '.paper tbody tr').map((row) =>
    textsIn(row, 'th, td')
      .map((text) => text.trim())
      .filter(Boolean)
      .join(' | '),
  );

/** The file that the page's button saves. */
const saved = async (member: Awaited<ReturnType<typeof visitorOf>>, page: string) => {
  const sheet = attributeIn(page, 'form[action$="/file"] input[name=sheet]', 'value');
  return { sheet, answer: await member.post(`${path}/file`, { sheet }) };
};

const verify = async (text: string, environment: Record<string, string> = {}) => {
  const file = join(folder, `${crypto.randomUUID()}.json`);
  await Bun.write(file, text);
  // No database: the paper outlives the server.
  return run('', ['audit', 'verify', file, '--data', join(folder, 'none')], '', environment);
};

describe('The control sheet', () => {
  test('has all dates of the days with whose they are, who has them since when, and who is away', async () => {
    const { firm, ada, ben, near } = await busyFirm();
    const before = (await ada.get(path)).text;
    expect(linesOf(before)).toHaveLength(3);
    const [late, hearing, limitation] = linesOf(before);
    expect(late).toContain('3 days overdue');
    expect(late).toContain(`File the answer, Quill <b> v. Rook | ${near.publicId} | Ada Harrow`);
    expect(hearing).toContain('Hearing, Quill <b> v. Rook');
    expect(limitation).toContain('Limitation: Quill <b> v. Rook');
    expect(limitation).toEndWith('Ben Lane | Nobody');
    expect(textIn(before, '.paper > p')).toContain('3 dates.');
    expect(textIn(before, '.paper > p')).toContain('1 is overdue.');
    expect(before).not.toContain('Later v. Never');
    await ben.post(`/matters/${near.id}/limitation/acknowledged`, { day: dayFrom(6) });
    await ada.post(`/settings/members/${firm.members[attorney]}/absence`, {
      deputyId: firm.members[owner] ?? '',
      awayFrom: dayFrom(-1),
      awayUntil: dayFrom(2),
    });
    const after = (await ada.get(path)).text;
    expect(linesOf(after)[2]).toContain('Ben Lane | Ben Lane (away), ');
    expect(textIn(after, '.paper')).toMatch(/Ben Lane, .* to .*\. Ada Harrow stands in\./);
    expect(linesOf((await ada.get(`${path}?days=60`)).text)).toHaveLength(4);
  });

  test('shows a firm without dates one sentence, is for who may read matters, and its file for who may export', async () => {
    const firm = await makeFirm(server);
    const [ada, ben, cy] = [
      await visitorOf(server, firm, owner),
      await visitorOf(server, firm, attorney),
      await visitorOf(server, firm, bookkeeper),
    ];
    const { text } = await ada.get(path);
    expect(text).toContain('There are no dates in this period, and nothing is overdue.');
    expect(partsIn(text, '.paper table')).toHaveLength(0);
    const shown = await ben.get(path);
    expect(shown.status).toBe(200);
    expect(partsIn(shown.text, 'input[name=sheet]')).toHaveLength(0);
    const { sheet } = await saved(ada, text);
    expect((await ben.post(`${path}/file`, { sheet })).status).toBe(403);
    expect((await cy.get(path)).status).toBe(403);
  });

  test('is not signed by a server without a key, and says what to do', async () => {
    const keyless = await startTestServer();
    const firm = await makeFirm(keyless);
    const { text } = await (await visitorOf(keyless, firm, owner)).get(path);
    expect(text).toContain('Not signed: this server has no key.');
    expect(partsIn(text, 'input[name=sheet]')).toHaveLength(0);
  });
});

describe('The signed file of a control sheet', () => {
  test('is proved without a database, and names the key that signed it', async () => {
    const { firm, ada } = await busyFirm();
    const page = (await ada.get(path)).text;
    const { sheet, answer } = await saved(ada, page);
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(sheet);
    expect(page).toContain(JSON.parse(sheet).signature);
    const elsewhere = await verify(answer.text);
    expect(elsewhere).toMatchObject({ exitCode: 0, err: '' });
    expect(elsewhere.out).toContain('is as it was signed: the control sheet of');
    expect(elsewhere.out).toContain(`3 dates`);
    expect(elsewhere.out).toContain(fingerprintOf(key.publicKey));
    const here = await verify(answer.text, { INSTALLATION_KEY: keyFile });
    expect(here.out).toContain('This installation signed it');
    const taken = await firm.command<{ changes: { exported?: { after: { what: string } } } }[]>([
      ...['audit', 'list', '--limit', '1'],
    ]);
    expect(taken[0]?.changes.exported?.after.what).toBe('control sheet');
  });

  test('also proves that the audit log continues what it was', async () => {
    const { ada } = await busyFirm();
    let page = '';
    await until(async () => {
      page = (await ada.get(path)).text;
      return page.includes('Audit entry');
    });
    const file = join(folder, 'against.json');
    await Bun.write(file, (await saved(ada, page)).answer.text);
    const { head } = await Bun.file(file).json();
    const proof = await run(databaseUrl, [
      ...['audit', 'verify', '--firm', head.firmId, '--against', file],
    ]);
    expect(proof).toMatchObject({ exitCode: 0, err: '' });
    expect(proof.out).toContain('(1 head)');
  });

  test('is refused if anything in it differs, or if it is another file', async () => {
    const { ada } = await busyFirm();
    const { answer } = await saved(ada, (await ada.get(path)).text);
    const { text } = answer;
    const stranger = makeInstallationKey(join(folder, 'stranger.key'));
    const sheet = JSON.parse(text);
    const changed = [
      text.replace(dayFrom(6), dayFrom(7)),
      text.replace('"isAsked":true', '"isAsked":false'),
      text.replace('{', '{"dates":[],'),
      text.replace('{', '{ '),
      JSON.stringify(sheet, null, 2),
      JSON.stringify({ ...sheet, dates: [] }),
      text.replace(key.publicKey, stranger.publicKey),
      text.replace(/("signature":")(.)/, (_, name, one) => name + (one === 'A' ? 'B' : 'A')),
    ];
    for (const one of changed) {
      const { exitCode, out, err } = await verify(one);
      expect({ exitCode, out, err }).toEqual({
        exitCode: 1,
        out: '',
        err: expect.stringContaining('This control sheet was changed after it was signed.'),
      });
      // Nor does the server give back what it did not sign.
      expect((await ada.post(`${path}/file`, { sheet: one })).status).not.toBe(200);
    }
    for (const other of ['', 'null', '{}', '[]', 'Control sheet\n']) {
      expect((await verify(other)).err).toContain('This is no control sheet');
    }
    const foreign = await verify(text, { INSTALLATION_KEY: join(folder, 'stranger.key') });
    expect(foreign.exitCode).toBe(1);
    expect(foreign.err).toContain('Find out who made the file.');
    const missing = await run('', ['audit', 'verify', join(folder, 'nowhere.json')]);
    expect(missing.exitCode).toBe(1);
    expect(missing.err).toContain('nowhere.json');
    const mixed = await run('', ['audit', 'verify', 'a.json', '--against', 'b.json']);
    expect(mixed.err).toContain('Name either a control sheet');
  });

  test('is given only to the member for whom the page was made', async () => {
    const { firm, ada } = await busyFirm();
    const { sheet } = await saved(ada, (await ada.get(path)).text);
    const other = await makeFirm(server);
    const stranger = await visitorOf(server, other, owner);
    const answer = await stranger.post(`${path}/file`, { sheet });
    expect(answer.status).not.toBe(200);
    expect(answer.text).not.toContain(firm.id);
  });
});
