import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { sharedRun, type Client } from '../support/api.ts';
import { assertAccessible, openConsole, tabTo } from '../support/console.ts';
import { images } from '../support/images.ts';
import { writeEml } from '../support/letters.ts';

/** No page is a dead end: back, on, to other people, into the trash and out of it. */
const run = sharedRun();
const orm = createOrm(readConfig([databaseConfig], process.env));
const browser = openConsole(run);
after(() => orm.close(true));

/** Adds three pictures, the last of which is the first in the library. @returns their ids */
async function addPictures(client: Client): Promise<string[]> {
  const ids: string[] = [];
  for (const [index, { bytes }] of (await images(3)).entries()) {
    const fields = { auto_describe: 'false', title: `Picture ${index + 1}` };
    ids.push(await client.ingest({ bytes, filename: `picture-${index + 1}.jpg`, fields }));
  }
  await Promise.all(ids.map((id) => client.settled(id)));
  return ids;
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

test('from a file back to its results, and on to its neighbours by keys and buttons', async () => {
  const { page, user } = await browser.signedIn(orm);
  await addPictures(user.client);
  await page.goto('/?q=picture&sort=title&order=asc');
  await page.getByRole('link', { name: 'Picture 1' }).click();
  await heading(page, 'Picture 1').waitFor();
  const around = page.getByRole('navigation', { name: 'Results' });
  await around.getByRole('button', { name: 'Next file' }).and(page.locator(':enabled')).waitFor();
  assert.equal(await around.getByRole('button', { name: 'Previous file' }).isDisabled(), true);
  await assertAccessible(page);
  await page.keyboard.press('ArrowRight');
  await heading(page, 'Picture 2').waitFor();
  await around.getByRole('button', { name: 'Next file' }).click();
  await heading(page, 'Picture 3').waitFor();
  await around.getByRole('button', { name: 'Previous file' }).and(page.locator(':enabled')).waitFor();
  await heading(page, 'Picture 3').focus();
  await page.keyboard.press('ArrowLeft');
  await heading(page, 'Picture 2').waitFor();
  // Arrows move between tabs where a tab has the focus.
  await page.getByRole('tab', { name: 'Picture' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('tab', { name: 'Details', selected: true }).waitFor();
  await heading(page, 'Picture 2').waitFor();
  await page.reload();
  await around.getByRole('link', { name: 'Back to the results' }).click();
  await heading(page, 'Library').waitFor();
  assert.equal(new URL(page.url()).searchParams.get('q'), 'picture');
});

test('a link opens one file without an account, until it is revoked', async () => {
  const { page, user } = await browser.signedIn(orm);
  const [id = ''] = await addPictures(user.client);
  await page.goto(`/files/${id}`);
  await tabTo(page, 'Share');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Share this file' });
  await dialog.getByRole('combobox', { name: 'Works for' }).selectOption('30 days');
  await dialog.getByRole('button', { name: 'Create a link' }).click();
  await dialog.getByText('The link is shown only now. Copy it.').waitFor();
  await assertAccessible(page);
  const url = await dialog.getByRole('status').locator('code').innerText();

  const stranger = await browser.open();
  await stranger.goto(url);
  await heading(stranger, 'Picture 1').waitFor();
  await stranger.getByRole('img').waitFor();
  await stranger.getByText(/^This link works until /).waitFor();
  await assertAccessible(stranger);
  const [download] = await Promise.all([
    stranger.waitForEvent('download'),
    stranger.getByRole('link', { name: 'Download' }).click(),
  ]);
  assert.equal(download.suggestedFilename(), 'picture-1.jpg');

  await dialog.getByRole('list', { name: 'Links that work' }).getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('The link no longer works.').waitFor();
  await stranger.reload();
  await stranger.getByText(/^This link does not work any more/).waitFor();
  await assertAccessible(stranger);
  await stranger.goto('/shared');
  await stranger.getByText(/^This link is incomplete/).waitFor();
});

test('an admin sets how long files stay, and holds one, which then nobody deletes', async () => {
  const { page, user } = await browser.signedIn(orm, { path: '/settings/organisation' });
  const stay = page.getByRole('textbox', { name: 'Days until files move to the trash' });
  await stay.fill('0');
  const card = page
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: 'How long files stay' }) });
  await card.getByRole('button', { name: 'Save' }).click();
  await page.getByText('A whole number from 1 to 36,500').waitFor();
  await stay.fill('400');
  await card.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  await assertAccessible(page);
  assert.equal((await user.client.get('/tenant/settings')).body.retention_days, 400);

  const { body: folder } = await user.client.post('/folders', { name: 'Case' });
  await page.goto('/');
  await page.getByRole('button', { name: 'Actions for Case' }).click();
  await page.getByRole('menuitem', { name: 'How long files stay' }).click();
  const rule = page.getByRole('dialog', { name: 'How long the files of Case stay' });
  await rule.getByRole('textbox', { name: 'Days in the trash' }).fill('7');
  await assertAccessible(page);
  await rule.getByRole('button', { name: 'Save' }).click();
  await rule.waitFor({ state: 'hidden' });
  assert.equal((await user.client.get(`/folders/${folder.id}`)).body.trash_days, 7);

  const [id = ''] = await addPictures(user.client);
  await page.goto(`/files/${id}?tab=about`);
  await page.getByText(/^It moves to the trash on .*, as the organisation says\.$/).waitFor();
  await page.getByRole('button', { name: 'Hold', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Hold this file?' });
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Case 7');
  await assertAccessible(page);
  await dialog.getByRole('button', { name: 'Hold', exact: true }).click();
  await page.getByText(/^Held since .*: nobody can delete it\.$/).waitFor();
  await page.getByText('Case 7').waitFor();
  assert.equal((await user.client.delete(`/files/${id}`)).body.code, 'FILE_HELD');
  await page.getByRole('button', { name: 'Release' }).click();
  await page.getByRole('button', { name: 'Hold', exact: true }).waitFor();
});

test('the trash shows what is in it, gives back, and forgets for good', async () => {
  const { page, user } = await browser.signedIn(orm);
  const [first = ''] = await addPictures(user.client);
  await page.goto(`/files/${first}`);
  await page.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Move to the trash' }).click();
  const confirm = page.getByRole('dialog', { name: 'Move this file to the trash?' });
  await confirm.getByRole('button', { name: 'Move to the trash' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('tab', { name: 'Picture' }).waitFor();
  assert.equal((await user.client.get(`/files/${first}`)).status, 200);

  await user.client.delete(`/files/${first}`);
  await page.goto('/trash');
  await page.getByRole('link', { name: 'Picture 1' }).click();
  await page.getByText(/^This file is in the trash/).waitFor();
  await page.getByRole('img', { name: 'Picture 1' }).waitFor();
  await page.getByText('picture-1.jpg').waitFor();
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Delete for good' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).click();
  await page.getByText('The trash is empty').waitFor();

  const others = (await user.client.get('/files')).body.items;
  for (const { id } of others) await user.client.delete(`/files/${id}`);
  await page.reload();
  await page.getByRole('link', { name: 'Picture 2' }).waitFor();
  await page.getByRole('button', { name: 'Empty the trash' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete everything in the trash for good?' });
  await assertAccessible(page);
  await dialog.getByRole('button', { name: 'Delete for good' }).click();
  await page.getByText('2 files deleted for good.').waitFor();
  await page.getByText('The trash is empty').waitFor();
  const { tenantId } = user;
  const { page: editors } = await browser.signedIn(orm, { tenantId, role: 'editor', path: '/trash' });
  await editors.getByText('The trash is empty').waitFor();
  assert.equal(await editors.getByRole('button', { name: 'Empty the trash' }).count(), 0);
});

test('extractions and answers are found again', async () => {
  const { page, user } = await browser.signedIn(orm);
  const { client } = user;
  const bytes = Buffer.from('# Lease\n\nTenant: Harbour Ltd\n\nThe lease ends on 31 March 2031.\n');
  const id = await client.ingest({ bytes, filename: 'lease.md' });
  await client.settled(id);
  const schema = { type: 'object', properties: { tenant: { type: 'string' } } };
  const { status, body } = await client.post('/extract', { file_id: id, schema });
  assert.ok(status === 200 || status === 202, JSON.stringify(body));
  const question = 'When does the lease end?';
  assert.equal((await client.post('/files/ask', { question })).status, 200);

  await page.goto(`/files/${id}?tab=extractions`);
  await page.getByRole('table', { name: 'Extractions' }).getByText('Completed').waitFor();
  await assertAccessible(page);
  await page.getByRole('link', { name: 'Open the result' }).click();
  await page.waitForURL(`**/extractions/${body.extraction_id}`);
  await page.goto('/extract');
  await page.getByRole('table', { name: 'Extractions' }).getByRole('link', { name: 'lease.md' }).waitFor();
  await assertAccessible(page);

  await page.goto(`/files/${id}`);
  await page.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Ask about it' }).click();
  await page.waitForURL('**/ask?*');
  await page.getByRole('button', { name: question }).click();
  await page.getByRole('heading', { level: 2, name: question }).waitFor();
  await page
    .getByText(/31 March 2031/)
    .first()
    .waitFor();
  await assertAccessible(page);
});

test('a cancelled file is grey, and is found by its reason', async () => {
  const { page, user } = await browser.signedIn(orm);
  const [id = ''] = await addPictures(user.client);
  const em = orm.em.fork();
  await em.execute(
    `update files set primary_status = 'failed', seq = 2000000000, components =
       '{"variant":{"status":"skipped","cause":"cancelled"},"description":{"status":"skipped","cause":"cancelled"}}'
     where id = ?`,
    [id],
  );
  await page.goto('/?failure=cancelled&status=failed');
  const cell = page.getByRole('gridcell').filter({ hasText: 'Picture 1' });
  await cell.getByText('Cancelled').waitFor();
  await page.getByText('1 file', { exact: true }).waitFor();
  await assertAccessible(page);
  await page.goto(`/files/${id}`);
  await page.locator('main').getByText('Cancelled', { exact: true }).waitFor();
  await assertAccessible(page);
});

test('a letter and its attachments lead to each other', async () => {
  const { page, user } = await browser.signedIn(orm);
  const offer = { filename: 'offer.txt', type: 'text/plain', content: 'A pump costs 149 EUR.' };
  const bytes = writeEml('The offer', '<p>The offer is attached.</p>', [offer]);
  const id = await user.client.ingest({ bytes, filename: 'letter.eml' });
  await user.client.settled(id);
  await page.goto(`/files/${id}`);
  await heading(page, 'letter.eml').waitFor();
  await page.getByRole('list', { name: 'Attachments' }).getByRole('link', { name: 'offer.txt' }).click();
  await heading(page, 'offer.txt').waitFor();
  await assertAccessible(page);
  await page.getByRole('list', { name: 'Came with' }).getByRole('link', { name: 'letter.eml' }).click();
  await heading(page, 'letter.eml').waitFor();
});
