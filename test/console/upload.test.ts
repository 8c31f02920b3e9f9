import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { eventually, sharedRun } from '../support/api.ts';
import { assertAccessible, openConsole, SCREENS, type Screen } from '../support/console.ts';
import { paddedImage, uniqueImage } from '../support/images.ts';
import { pages, startWebSite, type WebSite } from '../support/web-site.ts';

/** Adding files, folders and links, with a network that fails and a page that is loaded again. */
const run = sharedRun();
const orm = createOrm(readConfig([databaseConfig], process.env));
const MB = 1_000_000;
const browser = openConsole(run);
let site: WebSite;
let disk: string;
before(async () => {
  site = await startWebSite('127.0.0.1');
  disk = await mkdtemp(join(tmpdir(), 'darkroom-console-'));
});
after(async () => {
  await rm(disk, { recursive: true });
  await site.stop();
  await orm.close(true);
});

const screens = Object.keys(SCREENS) as Screen[];
/** Of the files and links that are being added. */
const row = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Files and links' }).getByRole('listitem').filter({ hasText: name });
const chooseFolder = (page: Page, path: string) => page.locator('input[webkitdirectory]').setInputFiles(path);
const chooseFiles = (page: Page, paths: string[]) =>
  page.locator('input[type=file]:not([webkitdirectory])').setInputFiles(paths);

/** Slows what the page sends, until the network changes again. */
async function slowNetwork(page: Page, bytesPerSecond: number): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    uploadThroughput: bytesPerSecond,
    downloadThroughput: -1,
  });
}

for (const screen of screens) {
  test(`a folder is added: duplicates are named, refusals have a reason: ${screen}`, async () => {
    const { page, user } = await browser.signedIn(orm, { screen, path: '/add' });
    const known = await uniqueImage();
    const knownId = await user.client.ingest({ bytes: known, filename: 'quay.jpg' });
    await page.getByText('Nothing is being uploaded').waitFor();
    await assertAccessible(page);
    const folder = join(disk, `Harbour-${screen}`);
    await mkdir(join(folder, 'Piers'), { recursive: true });
    await writeFile(join(folder, 'mole.jpg'), await uniqueImage());
    await writeFile(join(folder, 'again.jpg'), known);
    await writeFile(join(folder, 'Piers', 'north.jpg'), await uniqueImage());
    await writeFile(join(folder, 'Piers', 'empty.jpg'), '');
    await writeFile(join(folder, 'Piers', 'tide.bin'), Buffer.alloc(2000, 1));
    await page.getByLabel('Tags').fill('tidal');
    await chooseFolder(page, folder);

    await row(page, 'again.jpg').getByText('The library has it as quay.jpg.').waitFor();
    await row(page, 'again.jpg').getByText('Already here').waitFor();
    await row(page, 'empty.jpg').getByText('Refused').waitFor();
    await row(page, 'empty.jpg').getByText('the file is empty').waitFor();
    await row(page, 'tide.bin').getByText('Refused').waitFor();
    await row(page, 'tide.bin')
      .getByText(/^files of an unknown kind are not accepted/)
      .waitFor();
    for (const name of ['mole.jpg', 'north.jpg']) await row(page, name).getByText('Done').waitFor();
    await page.getByText('5 of 5', { exact: true }).waitFor();
    await assertAccessible(page);

    const { body } = await user.client.get('/files?tags=tidal');
    const added = body.items.map(({ filename }: { filename: string }) => filename).toSorted();
    assert.deepEqual(added, ['mole.jpg', 'north.jpg']);
    await row(page, 'again.jpg').getByRole('link', { name: 'Open' }).click();
    await page.waitForURL(`**/files/${knownId}`);
    await page.getByRole('heading', { level: 1, name: 'quay.jpg' }).waitFor();

    await page.goto('/');
    if (screen === 'phone') await page.getByRole('button', { name: 'Folders' }).click();
    await page.getByRole('treeitem', { name: basename(folder) }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('treeitem', { name: 'Piers' }).getByText('Piers').click();
    await page.getByRole('heading', { level: 1, name: 'Piers' }).waitFor();
    await page.getByRole('gridcell').filter({ hasText: 'north.jpg' }).waitFor();
  });
}

test('uploads wait for a network that was lost and go on by themselves', async () => {
  const { page, user } = await browser.signedIn(orm, { screen: 'phone', path: '/add' });
  await page.getByText('Nothing is being uploaded').waitFor();
  await page.getByLabel('Describe them').uncheck();
  const folder = join(disk, 'Slow');
  await mkdir(folder);
  const names = Array.from({ length: 8 }, (_, index) => `slow-${index}.png`);
  for (const name of names) await writeFile(join(folder, name), await paddedImage(MB));
  await slowNetwork(page, 400_000);
  await chooseFolder(page, folder);
  // The bytes of several are on their way.
  await page
    .getByText(/^[\d.,]+ kB of 1 MB$/)
    .first()
    .waitFor();
  await page.context().setOffline(true);
  await page.getByText('The server cannot be reached. Uploads go on by themselves').first().waitFor();
  await assertAccessible(page);
  await page.context().setOffline(false);
  await page.getByText('8 of 8', { exact: true }).waitFor();
  for (const name of [names[0], names[7]])
    await row(page, name ?? '')
      .getByText('Done')
      .waitFor();
  assert.equal((await user.client.get('/files')).body.total_count, names.length);
});

test('a large file goes on after a reload, with the parts that are missing', async () => {
  const { page, user } = await browser.signedIn(orm, { path: '/add' });
  await page.getByText('Nothing is being uploaded').waitFor();
  await page.getByLabel('Describe them').uncheck();
  const path = join(disk, 'panorama.png');
  await writeFile(path, await paddedImage(40 * MB));
  const [begun, sent]: [string[], string[]] = [[], []];
  const partOf = (url: string) => new URL(url).searchParams.get('partNumber') ?? 'whole';
  page.on('request', (request) => void (request.method() === 'PUT' && begun.push(partOf(request.url()))));
  page.on('requestfinished', (request) => {
    if (request.method() === 'PUT') sent.push(partOf(request.url()));
  });
  // Three parts are sent at a time; the last two take another three seconds.
  await slowNetwork(page, 5 * MB);
  const first = page.waitForEvent('requestfinished', (request) => request.method() === 'PUT');
  await chooseFiles(page, [path]);
  await first;
  let stored: string[] = [];
  // From then on, the requests are those of the new page.
  page.once('framenavigated', () => {
    stored = [...sent];
    begun.length = 0;
  });
  await page.reload();
  await page.context().setOffline(false);
  await row(page, 'panorama.png').getByText('Done').waitFor();
  assert.ok(begun.length > 0, `all parts were sent before the reload: ${stored.join()}`);
  assert.deepEqual(
    begun.filter((part) => stored.includes(part)),
    [],
    'parts were sent again',
  );
  const { items } = (await user.client.get('/files')).body;
  assert.deepEqual(
    items.map((file: { filename: string; size_bytes: number }) => [file.filename, file.size_bytes]),
    [['panorama.png', 40 * MB]],
  );
});

test('cancelling a large file frees what the store has of it', async () => {
  const { page, user } = await browser.signedIn(orm, { path: '/add' });
  await page.getByText('Nothing is being uploaded').waitFor();
  await page.getByLabel('Describe them').uncheck();
  const path = join(disk, 'mural.png');
  await writeFile(path, await paddedImage(40 * MB));
  await slowNetwork(page, 4 * MB);
  const created = page.waitForResponse((response) => response.url().endsWith('/files/direct-uploads'));
  await chooseFiles(page, [path]);
  const { upload_id: uploadId } = (await (await created).json()) as { upload_id: string };
  // Its bytes are on their way.
  await page.waitForRequest((request) => request.method() === 'PUT');
  await page.getByRole('button', { name: 'Cancel mural.png' }).click();
  await row(page, 'mural.png').getByText('Cancelled').waitFor();
  await eventually(async () => {
    const { body } = await user.client.get(`/files/direct-uploads/${uploadId}`);
    assert.equal(body.status, 'FAILED');
  });
  assert.equal((await user.client.get('/files')).body.total_count, 0);
});

test('a web address is added by pasting it, and several are typed by the keyboard', async () => {
  site.serve('/lighthouse.jpg', pages.of(await uniqueImage(), { 'content-type': 'image/jpeg' }));
  site.serve('/beacon.jpg', pages.of(await uniqueImage(), { 'content-type': 'image/jpeg' }));
  const { page } = await browser.signedIn(orm, { path: '/add' });
  await page.getByText('Nothing is being uploaded').waitFor();
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(site.url('/lighthouse.jpg'))})`);
  await page.keyboard.press('Control+v');
  await row(page, '/lighthouse.jpg').getByText('Done').waitFor();

  await page.getByLabel('Web addresses').focus();
  await page.keyboard.type(`${site.url('/beacon.jpg')}\nthe other beacon`);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('These are not web addresses: the other beacon').waitFor();
  assert.equal(await page.getByLabel('Web addresses').inputValue(), 'the other beacon');
  await row(page, '/beacon.jpg').getByText('Done').waitFor();
  await assertAccessible(page);
  await row(page, '/beacon.jpg').getByRole('link').first().click();
  await page.waitForURL('**/files/*');
});

test('a viewer is offered no way to add', async () => {
  const { page } = await browser.signedIn(orm, { role: 'viewer' });
  await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor();
  await page.getByRole('status').filter({ hasText: '0 files' }).waitFor();
  assert.equal(await page.getByRole('link', { name: /^Add/ }).count(), 0);
  await page.goto('/add');
  await page.getByText('Your role may read files but not add any.').waitFor();
  assert.equal(await page.locator('input[type=file]').count(), 0);
  await assertAccessible(page);
});
