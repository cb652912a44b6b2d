/** The control sheet in a browser: opened, printed on one A4 page and saved with its signature, by keyboard. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { expectAccessible, hasBrowser, phone, takePicture } from '../support/browser.ts';
import { attorney, type Firm, makeFirm, owner } from '../support/firm.ts';
import { startSigningServer } from '../support/signing.ts';
import { run } from '../support/terminal.ts';
import { windowsAt } from '../support/windows.ts';

const server = await startSigningServer();
let firm: Firm;
const windowOf = windowsAt(server, () => firm);

const dayFrom = (days: number) =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

beforeAll(async () => {
  firm = await makeFirm(server);
  for (const [title, days] of [
    ['Oyelaran v Brightwater Lidos Ltd', -11],
    ['Szczepańska-Wiśniewska v Northgate Logistics Ltd', 6],
    ['Okonkwo, estate', 9],
  ] as const) {
    const { status } = await firm.owner.post('/v1/matters', {
      title,
      openDate: '2026-01-01',
      practiceAreaId: firm.practiceAreas.Family?.id,
      team: [{ memberId: firm.members[attorney] }],
      solDate: dayFrom(days),
    });
    expect(status).toBe(201);
  }
});

describe.skipIf(!hasBrowser)('The control sheet', () => {
  test('is opened from the calendar, printed, and saved as a file that proves it, by keyboard', async () => {
    const window = await windowOf(owner);
    const { page, complaints } = window;
    await page.addInitScript(() => {
      globalThis.print = () => document.body.setAttribute('data-printed', '');
    });
    await page.goto(`${server.url}/calendar`);
    await page.getByRole('link', { name: 'Control sheet' }).press('Enter');
    const paper = page.getByRole('article');
    await paper.getByRole('row', { name: /Okonkwo, estate/ }).waitFor();
    await page.locator('html.scripted').waitFor();
    await expectAccessible(window);
    await takePicture(window, 'control-sheet');
    await page.getByRole('button', { name: 'Print' }).press('Enter');
    await page.locator('body[data-printed]').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save signed file' }).press('Enter');
    const file = join(server.folder, (await download).suggestedFilename());
    await (await download).saveAs(file);
    const { exitCode, out } = await run('', ['audit', 'verify', file], '', {
      INSTALLATION_KEY: server.keyFile,
    });
    expect({ exitCode, out }).toEqual({
      exitCode: 0,
      out: expect.stringContaining('This installation signed it'),
    });
    expect(complaints).toEqual([]);
  });

  test('is one page of A4 without what is pressed, dark words on white in either look', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await windowOf(owner, { colorScheme });
      await page.goto(`${server.url}/calendar/control-sheet`);
      await page.emulateMedia({ media: 'print', colorScheme });
      await page.getByRole('button', { name: 'Print' }).waitFor({ state: 'hidden' });
      await page.getByRole('navigation', { name: 'Main' }).waitFor({ state: 'hidden' });
      const colours = await page
        .getByRole('article')
        .evaluate((paper) => [
          getComputedStyle(paper).color,
          getComputedStyle(paper).backgroundColor,
        ]);
      expect(colours).toEqual(['rgb(27, 32, 39)', 'rgb(255, 255, 255)']);
      const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
      expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
      expect(pdf).toMatch(/\/MediaBox \[0 0 59[45][\d.]* 84[12]/);
    }
  });

  test('is read on a phone, for the days that were chosen', async () => {
    const window = await windowOf(owner, phone);
    const { page, complaints } = window;
    await page.goto(`${server.url}/calendar/control-sheet`);
    await page.getByLabel('Days').selectOption({ label: 'The next 7 days' });
    await page.waitForURL(/days=7/);
    const paper = page.getByRole('article');
    await paper.getByRole('row', { name: /Northgate/ }).waitFor();
    await paper
      .getByRole('row', { name: /Okonkwo/ })
      .first()
      .waitFor({ state: 'detached' });
    await expectAccessible(window);
    await takePicture(window, 'control-sheet-phone');
    expect(complaints).toEqual([]);
  });
});
