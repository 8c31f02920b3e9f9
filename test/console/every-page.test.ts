import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { sharedRun, type Client } from '../support/api.ts';
import { assertAccessible, type ConsoleBrowser, openConsole } from '../support/console.ts';
import { images } from '../support/images.ts';

/** What must hold on each page of the console, whatever the page is about. */
const run = sharedRun();
const orm = createOrm(readConfig([databaseConfig], process.env));
let browser: ConsoleBrowser;
before(async () => {
  browser = await openConsole(run);
});
after(async () => {
  await orm.close(true);
  await browser.close();
});

const PAGES = [
  '/',
  '/?view=list',
  '/trash',
  '/add',
  '/ask',
  '/extract',
  '/extract/schemas',
  '/extract/schemas/new',
  '/work',
  '/work?tab=exports',
  '/work?tab=stuck',
  '/settings/profile',
  '/settings/organisation',
  '/settings/members',
  '/settings/keys',
  '/settings/webhooks',
  '/settings/storage',
  '/settings/connections',
  '/settings/usage',
  '/settings/audit-log',
];

/** A library with an image, a document, and a file in the trash. @returns the pages of the files */
async function fill(client: Client): Promise<string[]> {
  const [image, other] = await images(2);
  assert.ok(image && other);
  const fields = { auto_describe: 'false' };
  const picture = await client.ingest({ ...image, fields });
  const text = { bytes: Buffer.from('# Harbour\n\nThe pier has two cranes.\n'), filename: 'harbour.md' };
  const document = await client.ingest({ ...text, fields });
  const deleted = await client.ingest({ ...other, fields });
  await client.delete(`/files/${deleted}`);
  return [picture, document, deleted].map((id) => `/files/${id}`);
}

/** Opens a page and waits until nothing on it is loading. */
async function show(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByRole('status', { name: 'Loading …' }).first().waitFor({ state: 'hidden' });
  assert.equal(await page.getByText('This did not work').count(), 0, path);
}

test('every page works in a browser whose language is no language', async () => {
  const { page, user } = await browser.signedIn(orm, { language: 'en-US@posix', tier: 'starter' });
  const files = await fill(user.client);
  for (const path of [...PAGES, ...files]) await show(page, path);
  await page.goto('/settings/usage');
  await page.locator('figure canvas').waitFor();
});

test('nothing is cut off on a screen of 390 pixels', async () => {
  const { page, user } = await browser.signedIn(orm, { screen: 'phone', tier: 'starter' });
  const files = await fill(user.client);
  for (const path of [...PAGES, ...files]) {
    await show(page, path);
    await assertAccessible(page);
    assert.deepEqual(await page.evaluate<string[]>(CUT_OFF), [], path);
  }
});

/** What is shown beyond the right edge, and in nothing that scrolls sideways. */
const CUT_OFF = `[...document.querySelectorAll('main *, header *')].filter((element) => {
  const { right, width, height } = element.getBoundingClientRect();
  if (width < 2 || height < 2 || right <= innerWidth + 1) return false;
  for (let at = element; at; at = at.parentElement)
    if (['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(at).overflowX)) return false;
  return true;
}).map((element) => element.outerHTML.slice(0, 120))`;

test('the entry of a page of the settings is in sight on a phone', async () => {
  const { page } = await browser.signedIn(orm, { screen: 'phone', path: '/settings/audit-log' });
  await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
  const { x = 0, width = 0 } = (await page.getByRole('link', { name: 'Audit log' }).boundingBox()) ?? {};
  assert.ok(x >= 0 && x + width <= 390, `from ${x} to ${x + width}`);
});
