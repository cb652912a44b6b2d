/**
 * What an administrator does in the settings, in a browser: by the names that people read, and each
 * until the page shows that it is done.
 */
import type { Page } from 'playwright-core';

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

/** Opens a dialog by its button. */
const openDialog = async (page: Page, button: string, name = button) => {
  await press(page, button);
  return page.getByRole('dialog', { name });
};

/** The secret that a page shows once. */
const shownSecret = async (page: Page) => (await page.locator('#secret').textContent()) ?? '';

/** The names of a list of the settings, from top to bottom. */
export const namesIn = async (page: Page, panel: string) => {
  const names = await partOf(page, panel).locator('summary').allTextContents();
  return names.map((name) => name.replace('Rename ', '').trim());
};

/** A part of a page, by its heading. */
export const partOf = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

/** Saves a part of the settings, and waits until its page says so in these words. */
export const save = async (page: Page, part: string, said: string) => {
  await partOf(page, part).getByRole('button', { name: 'Save' }).click();
  await untilSaid(page, said);
};

/** At the head of the page, or in the corner where the head is out of sight. */
const untilSaid = (page: Page, words: string) =>
  page.getByRole('status').filter({ hasText: words }).waitFor();

/** Invites somebody, and gives the link that lets them in. */
export const invite = async (page: Page, who: { name: string; email: string; role: string }) => {
  await page.goto('/settings/members');
  const dialog = await openDialog(page, 'Invite', 'Invite a member');
  await dialog.getByLabel('Name').fill(who.name);
  await dialog.getByLabel('Email').fill(who.email);
  await dialog.getByLabel('Role').selectOption(who.role);
  await dialog.getByRole('button', { name: 'Invite' }).click();
  return shownSecret(page);
};

export const openMember = async (page: Page, name: string) => {
  await page.goto('/settings/members');
  await page.getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
};

export const giveRole = async (page: Page, name: string, role: string) => {
  await openMember(page, name);
  const value = page.locator('details.edit', { hasText: 'Edit Role' });
  await value.locator('summary').click();
  await page.getByLabel('Role', { exact: true }).selectOption(role);
  await value.getByRole('button', { name: 'Save' }).click();
  await value.locator('summary', { hasText: role }).waitFor();
};

/** Makes a link with which a member chooses a new password. */
export const resetPassword = async (page: Page, name: string) => {
  await openMember(page, name);
  await press(page, 'Create a reset link');
  return shownSecret(page);
};

/** Lets a member go; another takes over their work. */
export const letGo = async (page: Page, name: string, heir: string) => {
  await openMember(page, name);
  await page.getByLabel('Hand over to').selectOption(heir);
  await press(page, 'Deactivate');
  await page.getByRole('button', { name: 'Activate', exact: true }).waitFor();
};

/** Makes a role that may do these things. */
export const makeRole = async (page: Page, name: string, permissions: string[]) => {
  await page.goto('/settings/roles');
  const dialog = await openDialog(page, 'New role');
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByRole('button', { name: 'Create role' }).click();
  for (const permission of permissions) await page.getByLabel(`${name}: ${permission}`).check();
  await press(page, 'Save');
  await untilSaid(page, `Permissions changed: ${name}.`);
};

/** Adds names to a list of the settings: stages, reasons, matter types. */
export const addNames = async (page: Page, noun: string, names: string[]) => {
  for (const name of names) {
    await page.getByLabel(`New ${noun}`, { exact: true }).fill(name);
    await press(page, `Add ${noun}`);
    await page.getByRole('button', { name: `Remove ${name}`, exact: true }).waitFor();
  }
};

/** Gives an entry of a list of the settings another name. */
export const renameOne = async (page: Page, name: string, to: string) => {
  await page.locator('summary', { hasText: `Rename ${name}` }).click();
  await page.getByLabel(`Name of ${name}`).fill(to);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: `Remove ${to}`, exact: true }).waitFor();
};

export const removeOne = async (page: Page, name: string) => {
  const button = page.getByRole('button', { name: `Remove ${name}`, exact: true });
  await button.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await button.waitFor({ state: 'detached' });
};

/** Makes a practice area with these stages; its page is shown then. */
export const makeArea = async (page: Page, name: string, stages: string[]) => {
  await page.goto('/settings/practice-areas');
  const dialog = await openDialog(page, 'New practice area');
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByLabel('Stages').fill(stages.join('\n'));
  await dialog.getByRole('button', { name: 'Create practice area' }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
};

type NewField = { on: string; name: string; type: string; options?: string[] };

export const makeField = async (page: Page, { on, name, type, options = [] }: NewField) => {
  await page.goto('/settings/fields');
  const dialog = await openDialog(page, 'New field');
  await dialog.getByLabel('Belongs to').selectOption(on);
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByLabel('Type').selectOption(type);
  if (options.length > 0) await dialog.getByLabel('Options').fill(options.join('\n'));
  await dialog.getByRole('button', { name: 'Create field' }).click();
  await page.getByRole('link', { name, exact: true }).waitFor();
};

/** Makes a key that may do these things, and gives it. */
export const makeKey = async (page: Page, name: string, permissions: string[]) => {
  await page.goto('/settings/keys');
  const dialog = await openDialog(page, 'New key');
  await dialog.getByLabel('Name').fill(name);
  for (const permission of permissions) await dialog.getByLabel(permission).check();
  await dialog.getByRole('button', { name: 'Create key' }).click();
  return shownSecret(page);
};

/** Gives the key that replaces another; both work for a day. */
export const rotateKey = async (page: Page, name: string) => {
  await page.goto('/settings/keys');
  await page.getByRole('link', { name: `Rotate ${name}` }).click();
  await press(page, 'Rotate the key');
  return shownSecret(page);
};

/** Ends a key; where a name has two, the newest. */
export const revokeKey = async (page: Page, name: string) => {
  await page.goto('/settings/keys');
  const buttons = page.getByRole('button', { name: `Revoke ${name}` });
  const before = await buttons.count();
  await buttons.first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
  await buttons.nth(before - 1).waitFor({ state: 'detached' });
};

type File = { kind: string; name: string; lines: string[] };

/** Brings a file in by the columns that are guessed, and gives the page's figures by their names. */
export const importFile = async (page: Page, { kind, name, lines }: File) => {
  await page.goto('/settings/imports');
  const dialog = await openDialog(page, 'Import a file');
  await dialog.locator(`[value=${kind}]`).check();
  const buffer = Buffer.from(lines.join('\n'));
  await dialog.getByLabel('File').setInputFiles({ name, mimeType: 'text/csv', buffer });
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await press(page, 'Check the rows');
  await page.getByRole('button', { name: /^Import \d/ }).click();
  await page.getByRole('button', { name: 'Undo the import' }).first().waitFor();
  return figures(page);
};

const figures = async (page: Page) => {
  const rows = await page.locator('dl.figures > div').all();
  const pairs = rows.map(async (row) => [
    await row.locator('dt').textContent(),
    await row.locator('dd').textContent(),
  ]);
  return Object.fromEntries(await Promise.all(pairs)) as Record<string, string>;
};

/** Undoes the import that the page shows, and gives how many records it deleted. */
export const undoImport = async (page: Page) => {
  const dialog = await openDialog(page, 'Undo the import', 'Undo this import?');
  await dialog.getByRole('button', { name: 'Undo the import' }).click();
  await page.getByText('Deleted by the undo').waitFor();
  return (await figures(page))['Deleted by the undo'];
};

/** Saves a file that a button or link gives, and reads it. */
export const download = async (page: Page, begin: () => Promise<void>) => {
  const [file] = await Promise.all([page.waitForEvent('download'), begin()]);
  return Bun.file(await file.path()).text();
};

/** Verifies the audit log; whether all of it fits. */
export const verifyLog = async (page: Page) => {
  await page.goto('/settings/audit');
  await press(page, 'Verify');
  const said = page.getByText(/^Verified: .* All fit\.$/);
  await said.or(page.getByRole('alert')).first().waitFor();
  return (await said.count()) === 1;
};

export const exportLog = async (page: Page) => {
  await page.goto('/settings/audit');
  const dialog = await openDialog(page, 'Export', 'Export the audit log');
  return download(page, () => dialog.getByRole('button', { name: 'Export' }).click());
};

/** Restores a deleted record, and waits until it is not in the list any more. */
export const restore = async (page: Page, kind: string, label: string) => {
  await page.goto(`/settings/deleted?kind=${kind}`);
  const button = page.getByRole('button', { name: `Restore ${label}` });
  await button.click();
  await button.waitFor({ state: 'detached' });
};
