import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { sharedRun, type Client, type Json } from '../support/api.ts';
import { assertAccessible, openConsole, SCREENS, type Screen, tabTo } from '../support/console.ts';
import { images } from '../support/images.ts';
import { pages, startWebSite } from '../support/web-site.ts';

/** Watching and steering what the service does: upload sessions, imports, reprocessings and exports. */
const run = sharedRun();
const orm = createOrm(readConfig([databaseConfig], process.env));
const browser = openConsole(run);
after(() => orm.close(true));

const screens = Object.keys(SCREENS) as Screen[];

/** Opens an upload session that waits for two files. @returns sends them */
async function waitingSession(client: Client): Promise<() => Promise<void>> {
  const contents = await images(2);
  const files = contents.map(({ bytes, filename }) => ({
    filename,
    content_type: 'image/jpeg',
    size_bytes: bytes.length,
  }));
  const { status, body } = await client.post('/uploads/batch-prepare', { files });
  assert.equal(status, 200, JSON.stringify(body));
  return async () => {
    for (const { file_index: at, upload_url: url, upload_headers: headers } of body.presigned_urls) {
      const sent = await fetch(url, { method: 'PUT', headers, body: contents[at]?.bytes ?? null });
      assert.equal(sent.status, 200);
    }
    const confirmations = body.presigned_urls.map(({ object_key }: Json) => ({ object_key, success: true }));
    const confirmed = await client.post('/uploads/batch-confirm', { batch_id: body.batch_id, confirmations });
    assert.equal(confirmed.body.successful_uploads, 2, JSON.stringify(confirmed.body));
  };
}

/** Presses a button: with the keyboard on a desk, with a finger on a phone. */
async function press(page: Page, screen: Screen, name: string): Promise<void> {
  if (screen === 'phone') return page.getByRole('button', { name, exact: true }).tap();
  await tabTo(page, name);
  await page.keyboard.press('Enter');
}

for (const screen of screens) {
  test(`an upload session is paused, resumed and seen to end: ${screen}`, async () => {
    const { page, user } = await browser.signedIn(orm, { screen, path: '/work' });
    await page.getByText('No uploads yet').waitFor();
    await assertAccessible(page);
    const sendFiles = await waitingSession(user.client);
    await page.reload();
    await page.getByRole('button', { name: / and 1 more/ }).click();
    await page.getByText('Live', { exact: true }).waitFor();
    const counts = page.getByRole('status').filter({ hasText: ' of 2 files' });
    await counts.getByText('0 of 2 files').waitFor();
    await press(page, screen, 'Pause');
    await counts.getByText('Paused').waitFor();
    await assertAccessible(page);
    await press(page, screen, 'Resume');
    await counts.getByText('Paused').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Pause' }).waitFor();

    await sendFiles();
    const files = page.getByRole('table', { name: 'Files of the upload' });
    for (const name of ['image-0.jpg', 'image-1.jpg']) {
      await files.getByRole('row').filter({ hasText: name }).getByText('Completed').waitFor();
    }
    await page.getByRole('button', { name: / and 1 more.*2 of 2 files.*Completed/ }).waitFor();
    await assertAccessible(page);
    await files.getByRole('link', { name: 'image-1.jpg' }).click();
    await page.getByRole('heading', { level: 1, name: 'image-1.jpg' }).waitFor();
  });

  test(`an export is downloaded and discarded: ${screen}`, async () => {
    const { page, user } = await browser.signedIn(orm, { screen, path: '/work?tab=exports' });
    const fields = { auto_describe: 'false' };
    for (const { bytes, filename } of await images(2)) await user.client.ingest({ bytes, filename, fields });
    await page.getByText('No exports yet').waitFor();
    await assertAccessible(page);
    await press(page, screen, 'Start an export');
    const dialog = page.getByRole('dialog', { name: 'Start an export' });
    await dialog.getByRole('group', { name: 'File', exact: true }).waitFor();
    await assertAccessible(page);
    await dialog.getByRole('combobox', { name: 'Format' }).selectOption('Excel (XLSX)');
    await dialog.getByRole('button', { name: 'Start', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
    const row = page.getByRole('row').filter({ hasText: 'Excel (XLSX)' });
    await row.getByText('Completed').waitFor();
    await assertAccessible(page);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      row.getByRole('link', { name: 'Download' }).click(),
    ]);
    assert.match(download.suggestedFilename(), /\.xlsx$/);
    // The beginning of a ZIP archive.
    assert.equal((await readFile(await download.path())).subarray(0, 2).toString(), 'PK');

    await press(page, screen, 'Discard');
    await page.getByRole('dialog', { name: 'Discard this export?' }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await page.getByText('The export is discarded.').waitFor();
    await row.getByRole('link', { name: 'Download' }).waitFor({ state: 'hidden' });
    const exports = (await user.client.get('/data/export')).body.items;
    assert.ok(exports.every(({ download_url: url }: Json) => url === null));
  });
}

test('files of a list are imported, one that is missing is tried again, and they are described again', async () => {
  const site = await startWebSite('127.0.0.1');
  try {
    const [image, other] = await images(2);
    assert.ok(image && other);
    site.serve('/one.jpg', pages.of(image.bytes, { 'content-type': 'image/jpeg' }));
    const list = ['/one.jpg', '/two.jpg'].map((path) => JSON.stringify({ url: site.url(path) })).join('\n');
    site.serve('/list.jsonl', pages.of(Buffer.from(list)));
    const { page } = await browser.signedIn(orm, { path: '/work?tab=imports' });
    await page.getByText('No imports yet').waitFor();
    await press(page, 'desk', 'Start an import');
    const dialog = page.getByRole('dialog', { name: 'Start an import' });
    await dialog.getByRole('combobox', { name: 'From where' }).selectOption('List of URLs');
    await assertAccessible(page);
    await dialog.getByRole('textbox', { name: 'Address of the list' }).fill(site.url('/list.jsonl'));
    await dialog.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('button', { name: /list\.jsonl.*2 of 2 found.*1 failed.*Completed/ }).click();
    const items = page.getByRole('table', { name: 'Files of the import' });
    const missing = items.getByRole('row').filter({ hasText: 'two.jpg' });
    await missing.getByText('Failed').waitFor();
    await items.getByRole('row').filter({ hasText: 'one.jpg' }).getByRole('link').waitFor();
    await assertAccessible(page);
    site.serve('/two.jpg', pages.of(other.bytes, { 'content-type': 'image/jpeg' }));
    await press(page, 'desk', 'Retry failed files');
    await missing.getByText('Imported').waitFor();

    await page.getByRole('tab', { name: 'Processed again' }).click();
    await press(page, 'desk', 'Process files again');
    const again = page.getByRole('dialog', { name: 'Process files again' });
    await again.getByRole('textbox', { name: 'Why' }).fill('A better model');
    await again.getByRole('button', { name: 'Estimate' }).click();
    await again.getByText(/^2 files, at most \d+ credits\.$/).waitFor();
    await assertAccessible(page);
    await again.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('button', { name: /A better model.*2 of 2 files.*Completed/ }).click();
    const files = page.getByRole('table', { name: 'Files that were processed again' });
    await files.getByRole('row').filter({ hasText: 'one.jpg' }).getByText('Completed').waitFor();
    await assertAccessible(page);
    await press(page, 'desk', 'Put former descriptions back');
    const question = page.getByRole('dialog', { name: 'Put the former descriptions back?' });
    await question.getByRole('button', { name: 'Put former descriptions back' }).click();
    await page.getByRole('button', { name: /A better model.*Put back/ }).waitFor();
  } finally {
    await site.stop();
  }
});

test('an upload session is cancelled after a question, and a viewer only watches', async () => {
  const { page, user } = await browser.signedIn(orm, { path: '/work' });
  await waitingSession(user.client);
  const { tenantId } = user;
  const { page: watching } = await browser.signedIn(orm, { tenantId, role: 'viewer', path: '/work' });
  await watching.getByRole('button', { name: / and 1 more/ }).click();
  await watching.getByText('Live', { exact: true }).waitFor();
  assert.equal(await watching.getByRole('button', { name: /^(Pause|Cancel)$/ }).count(), 0);

  await page.reload();
  await page.getByRole('button', { name: / and 1 more/ }).click();
  await page.getByText('Live', { exact: true }).waitFor();
  await press(page, 'desk', 'Cancel');
  const question = page.getByRole('dialog', { name: 'Cancel this upload?' });
  await question.waitFor();
  await assertAccessible(page);
  await question.getByRole('button', { name: 'Cancel' }).click();
  for (const each of [page, watching]) {
    await each.getByRole('button', { name: / and 1 more.*Cancelled/ }).waitFor();
  }
});

test('a page for stuck files says that there are none', async () => {
  const { page } = await browser.signedIn(orm, { path: '/work?tab=stuck' });
  await page.getByRole('status').filter({ hasText: 'Nothing is stuck' }).waitFor();
  await assertAccessible(page);
});
