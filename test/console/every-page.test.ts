import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { sharedRun, type Client } from '../support/api.ts';
import { assertAccessible, openConsole } from '../support/console.ts';
import { images } from '../support/images.ts';

/** What must hold on each page of the console, whatever the page is about. */
const run = sharedRun();
const orm = createOrm(readConfig([databaseConfig], process.env));
const browser = openConsole(run);
after(() => orm.close(true));

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
  '/work?tab=imports',
  '/work?tab=reprocessing',
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

/** The texts of the console in German, by the English ones. */
const GERMAN = JSON.parse(
  readFileSync(new URL('../../console/src/languages/de.json', import.meta.url), 'utf8'),
) as Record<string, string>;

/** Opens a page and waits until nothing on it is loading. */
async function show(page: Page, path: string, texts: Record<string, string> = {}): Promise<void> {
  const say = (english: string) => texts[english] ?? english;
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page
    .getByRole('status', { name: say('Loading …') })
    .first()
    .waitFor({ state: 'hidden' });
  assert.equal(await page.getByText(say('This did not work')).count(), 0, path);
}

test('every page is in German where the browser prefers it, and says nothing in English', async () => {
  const english = Object.entries(GERMAN).flatMap(([text, german]) => (text === german ? [] : [text]));
  const { page, user } = await browser.signedIn(orm, { language: 'de-AT', tier: 'starter' });
  const files = await fill(user.client);
  for (const path of [...PAGES, ...files]) {
    await show(page, path, GERMAN);
    await assertAccessible(page);
    const said = new Set(await page.evaluate<string[]>(SAID));
    assert.deepEqual(
      english.filter((text) => said.has(text)),
      [],
      path,
    );
  }
  assert.equal(await page.evaluate('document.documentElement.lang'), 'de');
});

/** What people read and hear on a page. */
const SAID = `[...document.querySelectorAll('body, body *')].flatMap((element) => [
  ...[...element.childNodes].flatMap((node) => (node.nodeType === 3 && !element.closest('[lang=en]') ? node.data.trim() : [])),
  ...['aria-label', 'title', 'placeholder', 'alt'].flatMap((name) => element.getAttribute(name) ?? []),
]).filter(Boolean)`;

test('people change the language in the menu of their account, and it stays', async () => {
  const { page } = await browser.signedIn(orm, { path: '/settings/usage', tier: 'starter' });
  await page.getByRole('button', { name: /Account/ }).click();
  await page.getByRole('menuitemradio', { name: 'Deutsch' }).click();
  await page.getByRole('heading', { level: 1, name: 'Nutzung und Guthaben' }).waitFor();
  await page.locator('figure canvas').waitFor();
  const named = await page.locator('figcaption').textContent();
  assert.match(named ?? '', /^Anfragen vom \d\d\.\d\d\.\d{4} bis \d\d\.\d\d\.\d{4}: insgesamt/);
  await page.goto('/trash');
  await page.getByRole('heading', { level: 1, name: 'Papierkorb' }).waitFor();
  await page.getByRole('button', { name: /Konto/ }).click();
  await page.getByRole('menuitemradio', { name: 'Français' }).click();
  await page.getByRole('heading', { level: 1, name: 'Corbeille' }).waitFor();
});

test('a refusal is told in the language of the page', async () => {
  const page = await browser.open({ language: 'es-MX' });
  await page.goto('/sign-in');
  await page.getByLabel('Correo').fill('nobody@example.com');
  await page.getByLabel('Contraseña').fill('not the password');
  await page.getByRole('button', { name: 'Iniciar sesión', exact: true }).click();
  await page.getByText('No ha iniciado sesión, o el correo y la contraseña no son correctos.').waitFor();
  await assertAccessible(page);
});

test('every page works where the language of the browser is no language, and nothing is cut off on a screen of 390 pixels', async () => {
  const options = { screen: 'phone', language: 'en-US@posix', tier: 'starter' } as const;
  const { page, user } = await browser.signedIn(orm, options);
  const files = await fill(user.client);
  for (const path of [...PAGES, ...files]) {
    await show(page, path);
    await assertAccessible(page);
    assert.deepEqual(await page.evaluate<string[]>(CUT_OFF), [], path);
  }
  await page.goto('/settings/usage');
  await page.locator('figure canvas').waitFor();
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
