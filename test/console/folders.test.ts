import { after, test } from 'node:test';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { sharedRun } from '../support/api.ts';
import { assertAccessible, openConsole, SCREENS, type Screen, tabTo } from '../support/console.ts';
import { images } from '../support/images.ts';

/** The tree of folders, by the keyboard and by dragging. */
const run = sharedRun();
const orm = createOrm(readConfig([databaseConfig], process.env));
const browser = openConsole(run);
after(() => orm.close(true));

for (const screen of Object.keys(SCREENS) as Screen[]) {
  test(`folders are created, renamed, moved and deleted by the keyboard alone: ${screen}`, async () => {
    const { page } = await browser.signedIn(orm, { screen });
    await page.getByText('No files yet').waitFor();
    if (screen === 'phone') {
      await tabTo(page, 'Folders');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Places' }).waitFor();
    }
    for (const name of ['Archive', 'Harbour']) {
      await tabTo(page, 'New folder or project');
      await page.keyboard.press('Enter');
      await page.locator('[role=menuitem]:focus').filter({ hasText: 'New folder' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'New folder' }).waitFor();
      await page.keyboard.type(name);
      await page.keyboard.press('Enter');
      await page.getByRole('treeitem', { name }).waitFor();
      await page.getByRole('dialog', { name: 'New folder' }).waitFor({ state: 'hidden' });
    }
    await assertAccessible(page);

    await tabTo(page, /^(All files|Archive|Harbour)/);
    for (const key of ['Home', 'ArrowDown', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
    await page.locator('[role=treeitem]:focus').filter({ hasText: 'Harbour' }).waitFor();
    await page.keyboard.press('F2');
    await page.getByRole('dialog', { name: 'Rename Harbour' }).waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Port');
    await page.keyboard.press('Enter');
    await page.getByRole('treeitem', { name: 'Port' }).waitFor();
    await page.locator('[role=treeitem]:focus').filter({ hasText: 'Port' }).waitFor();

    await tabTo(page, 'Actions for Port');
    await page.keyboard.press('Enter');
    // A menu takes the focus after it has opened, and moves it after a letter.
    const focused = page.locator('[role=menuitem]:focus');
    await focused.waitFor();
    await page.keyboard.type('Mo');
    await focused.filter({ hasText: 'Move to …' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Move Port' }).waitFor();
    await assertAccessible(page);
    await tabTo(page, /^In no folder/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('To: /Archive').waitFor();
    await tabTo(page, 'Move here');
    await page.keyboard.press('Enter');
    await page.getByRole('treeitem', { name: 'Port' }).waitFor({ state: 'hidden' });
    await page.getByRole('dialog', { name: 'Move Port' }).waitFor({ state: 'hidden' });

    await tabTo(page, /^(All files|Archive)/);
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowRight');
    const port = page.getByRole('treeitem', { name: 'Port', level: 2 });
    await port.waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Delete');
    await page.getByRole('dialog', { name: 'Delete the folder Port?' }).waitFor();
    await tabTo(page, 'Delete');
    await page.keyboard.press('Enter');
    await port.waitFor({ state: 'hidden' });
  });
}

test('files and folders are moved by dragging them', async () => {
  const { page, user } = await browser.signedIn(orm, { path: '/trash' });
  for (const name of ['Archive', 'Harbour']) await user.client.post('/folders', { name });
  const fields = { auto_describe: 'false' };
  for (const { bytes, filename } of await images(2)) await user.client.ingest({ bytes, filename, fields });
  await page.goto('/');
  await page
    .getByRole('status')
    .filter({ hasText: /^2 files$/ })
    .waitFor();
  const cell = (name: string) => page.getByRole('gridcell').filter({ hasText: name });
  const archive = page.getByRole('treeitem', { name: 'Archive' });
  const harbour = page.getByRole('treeitem', { name: 'Harbour' });
  await cell('image-0.jpg').click();
  await cell('image-1.jpg').click({ modifiers: ['Control'] });
  await page.getByText('2 selected').waitFor();
  await cell('image-1.jpg').dragTo(harbour.getByText('Harbour'));
  await page.getByText('2 files moved.').first().waitFor();
  await page.getByRole('treeitem', { name: 'Harbour 2' }).waitFor();
  await harbour.getByText('Harbour').dragTo(archive.getByText('Archive'));
  await harbour.waitFor({ state: 'hidden' });
  await archive.focus();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('treeitem', { name: 'Harbour', level: 2 }).getByText('Harbour').click();
  await page.getByRole('heading', { level: 1, name: 'Harbour' }).waitFor();
  await page
    .getByRole('status')
    .filter({ hasText: /^2 files$/ })
    .waitFor();
  await assertAccessible(page);
});
