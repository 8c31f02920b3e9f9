import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { seedFiles } from '../../lab/bench/seed-files.ts';
import { eventually, sharedRun } from '../support/api.ts';
import { assertAccessible, openConsole, SCREENS, type Screen, tabTo } from '../support/console.ts';
import { pdfOfLines } from '../support/documents-with-words.ts';
import { images } from '../support/images.ts';
import { logIn } from '../support/login.ts';

/** Finding files, and working on several at once. */
const run = sharedRun();
const orm = createOrm(readConfig([databaseConfig], process.env));
const browser = openConsole(run);
/** Has 10,000 files. */
let large: string;
before(async () => {
  ({ tenantId: large } = await logIn(orm, run));
  await seedFiles(orm.em.fork(), large, FILES);
});
after(() => orm.close(true));

/** Headings, with the paragraph below each. */
const CAMPUS: [string, string[]][] = [
  [
    'Canteen',
    [
      'Soup and fresh bread are served from noon until two.',
      'On Mondays the cook prepares a vegetable stew with rice.',
      'Coffee and cake are sold in the afternoon.',
    ],
  ],
  [
    'Library',
    [
      'Books are lent for four weeks and may be renewed twice.',
      'Readers return novels and magazines at the desk.',
      'Maps are read in the hall only.',
    ],
  ],
  [
    'Workshop',
    [
      'Damaged brakes of a bicycle are repaired on Fridays.',
      'A mechanic mends flat tyres and replaces worn chains.',
      'Spare parts are paid at the counter.',
    ],
  ],
];
const pageOf = ([heading, lines]: [string, string[]]) => [
  { text: heading, y: 790, size: 22, bold: true },
  ...lines.map((text, at) => ({ text, y: 740 - at * 16 })),
];

const screens = Object.keys(SCREENS) as Screen[];
const FILES = 10_000;
const cell = (page: Page, name: string | RegExp) => page.getByRole('gridcell').filter({ hasText: name });
const counted = (page: Page, text: string) =>
  page
    .getByRole('status')
    .filter({ hasText: new RegExp(`^${text}$`) })
    .waitFor();
const saidNotice = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor();

/** Presses a button: with the keyboard on a desk, with a finger on a phone. */
async function press(page: Page, screen: Screen, name: string): Promise<void> {
  if (screen === 'phone') return page.getByRole('button', { name, exact: true }).tap();
  await tabTo(page, name);
  await page.keyboard.press('Enter');
}

/** Waits until the file with the focus shows a text inside the screen. */
async function assertFocused(page: Page, text: string): Promise<void> {
  const focused = page.locator('[data-index]:focus').filter({ hasText: text });
  await focused.waitFor();
  const box = await focused.boundingBox();
  const { height } = page.viewportSize() ?? { height: 0 };
  assert.ok(box && box.y >= 0 && box.y + box.height <= height, `${text} has the focus outside of the screen`);
}

test('the first files are asked for once, by the answer that brings the page', async () => {
  const { page } = await browser.signedIn(orm, { tenantId: large });
  await page.getByRole('gridcell').first().waitFor();
  const asked = await page.evaluate<string[]>(`performance.getEntriesByType('resource')
    .filter(({ name }) => /\\/files\\?/.test(name)).map(({ initiatorType }) => initiatorType)`);
  assert.deepEqual(asked, ['link']);
});

for (const screen of screens) {
  test(`a filter finds the files that failed: ${screen}`, async () => {
    const { page, user } = await browser.signedIn(orm, { screen, path: '/trash' });
    const fields = { auto_describe: 'false' };
    const [whole] = await images(1);
    const broken = { bytes: (whole?.bytes ?? Buffer.alloc(0)).subarray(0, 200), filename: 'broken.jpg' };
    for (const file of [whole, broken]) {
      if (file) await user.client.settled(await user.client.ingest({ ...file, fields }));
    }
    await page.goto('/');
    await counted(page, '2 files');
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByRole('group', { name: 'Status' }).getByRole('button', { name: 'Failed' }).click();
    await counted(page, '1 file');
    await cell(page, 'broken.jpg').waitFor();
    await assertAccessible(page);
    // The address has the filter.
    await page.reload();
    await counted(page, '1 file');
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await counted(page, '2 files');
  });

  test(`among 10,000 files, words find some as they are typed, and one returns to the same place: ${screen}`, async () => {
    const { page } = await browser.signedIn(orm, { screen, tenantId: large });
    await counted(page, '10,000 files');
    await cell(page, 'lisbon').first().waitFor();
    await assertAccessible(page);

    // The newest file is the last that was seeded.
    await page.locator('[data-index="0"]').focus();
    await page.keyboard.press('End');
    await assertFocused(page, 'IMG_0000001.jpg');
    await page.keyboard.press('Home');
    await page.locator('[data-index="0"]:focus').waitFor();

    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight / 2)');
    await page.waitForFunction('Math.abs(scrollY - document.documentElement.scrollHeight / 2) < 5');
    const middle = page
      .getByRole('gridcell')
      .filter({ has: page.getByRole('link', { name: /^IMG_000[45]/ }) })
      .filter({ visible: true });
    await middle.first().waitFor();
    const index = await page.evaluate<string>(
      `[...document.querySelectorAll('[data-index]')].find((cell) => {
        const { top, bottom } = cell.getBoundingClientRect();
        return top > 100 && bottom < innerHeight && /IMG_/.test(cell.textContent);
      }).dataset.index`,
    );
    assert.ok(Number(index) > FILES / 3, index);
    const chosen = page.locator(`[data-index="${index}"]`);
    const name = await chosen.getByRole('link').innerText();
    const [{ y } = { y: 0 }] = [(await chosen.boundingBox()) ?? undefined];
    await chosen.getByRole('link').click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.goBack();
    await chosen.getByRole('link', { name }).waitFor();
    await eventually(async () => {
      const box = await chosen.boundingBox();
      assert.ok(box && Math.abs(box.y - y) <= 2, `${name} was at ${y} and is at ${box?.y}`);
    });

    await page.keyboard.press('/');
    await page.keyboard.type('quartzi');
    await page.keyboard.type('te');
    await counted(page, '20 files');
    await cell(page, 'quartzite').first().waitFor();
    await page.getByRole('textbox', { name: 'Search the library' }).fill('obsidian');
    await cell(page, 'on obsidian').first().waitFor();
    await counted(page, '20 files');
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await counted(page, '10,000 files');
  });

  test(`passages by meaning open their document at the page: ${screen}`, async () => {
    const { page, user } = await browser.signedIn(orm, { screen, path: '/trash' });
    const bytes = await pdfOfLines(CAMPUS.map(pageOf));
    await user.client.settled(await user.client.ingest({ bytes, filename: 'campus.pdf' }));
    await page.goto('/');
    // The tile shows its first page.
    await cell(page, 'campus.pdf').locator('img[src*="small_256"]').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('who repairs a bike');
    await page.getByRole('tab', { name: 'Passages by meaning' }).click();
    const first = page.getByRole('list', { name: 'Passages by meaning' }).getByRole('listitem').first();
    await first.getByText('Damaged brakes of a bicycle').waitFor();
    await assertAccessible(page);
    await first.getByRole('link', { name: 'Page 3' }).click();
    await page.waitForURL('**/files/*?page=3');
    await page.getByRole('heading', { level: 1, name: 'campus.pdf' }).waitFor();
    await page.getByRole('region', { name: 'Page 3' }).waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'Page' }).inputValue(), '3');
    await page.goBack();
    await first.getByText('Damaged brakes of a bicycle').waitFor();
  });

  test(`files are selected, tagged, deleted and restored: ${screen}`, async () => {
    const { page, user } = await browser.signedIn(orm, { screen, path: '/trash' });
    const fields = { auto_describe: 'false' };
    for (const { bytes, filename } of await images(3)) await user.client.ingest({ bytes, filename, fields });
    await page.goto('/');
    await counted(page, '3 files');
    if (screen === 'phone') {
      await page.locator('[data-index="0"] [data-check]').tap();
      await page.locator('[data-index="1"]').tap();
    } else {
      await tabTo(page, /image-\d\.jpg/);
      await page.keyboard.press('Space');
      await page.keyboard.press('Shift+ArrowRight');
    }
    await page.getByText('2 selected').waitFor();
    await assertAccessible(page);
    await press(page, screen, 'Tags');
    await page.getByRole('dialog', { name: 'Tags of 2 files' }).waitFor();
    await assertAccessible(page);
    await page.keyboard.type('tidal, north');
    await page.keyboard.press('Enter');
    await saidNotice(page, 'Tags of 2 files saved.');
    assert.equal((await user.client.get('/files?tags=tidal')).body.total_count, 2);

    await press(page, screen, 'Delete');
    await page.getByRole('dialog', { name: 'Delete 2 files?' }).waitFor();
    await press(page, screen, 'Move to the trash');
    await saidNotice(page, '2 files moved to the trash.');
    await counted(page, '1 file');
    await page.getByRole('link', { name: 'Trash' }).click();
    await counted(page, '2 files');
    if (screen === 'phone') {
      await page.locator('[data-index="0"] [data-check]').tap();
      await page.locator('[data-index="1"]').tap();
    } else {
      await tabTo(page, /image-\d\.jpg/);
      await page.keyboard.press('Control+a');
    }
    await page.getByText('2 selected').waitFor();
    await assertAccessible(page);
    await press(page, screen, 'Restore');
    await page.getByRole('heading', { name: '2 files restored.' }).waitFor();
    await page.getByText('The trash is empty').waitFor();
    await assertAccessible(page);
    assert.equal((await user.client.get('/files?tags=north')).body.total_count, 2);
    await page.getByRole('link', { name: 'Library', exact: true }).last().click();
    await counted(page, '3 files');
  });
}

test('files are found, opened and explained in the dark appearance', async () => {
  const { page, user } = await browser.signedIn(orm, { theme: 'dark', path: '/trash' });
  const [whole] = await images(1);
  const broken = { bytes: (whole?.bytes ?? Buffer.alloc(0)).subarray(0, 200), filename: 'broken.jpg' };
  for (const file of [whole, broken]) {
    if (file) await user.client.settled(await user.client.ingest({ ...file, fields: { tags: 'night' } }));
  }
  await page.goto('/');
  await counted(page, '2 files');
  const background = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  const [red = 255] = (/\d+/.exec(background) ?? []).map(Number);
  assert.ok(red < 64, `the page is ${background}`);
  await page.locator('[data-index="0"]').focus();
  await page.keyboard.press('Space');
  await page.getByText('1 selected').waitFor();
  await assertAccessible(page);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByRole('group', { name: 'Status' }).getByRole('button', { name: 'Failed' }).click();
  await counted(page, '1 file');
  await assertAccessible(page);
  await cell(page, 'broken.jpg').getByRole('link').click();
  await page.getByRole('heading', { level: 1, name: 'broken.jpg' }).waitFor();
  await assertAccessible(page);
  await page.getByRole('tab', { name: 'Processing' }).click();
  await page.getByRole('tabpanel').waitFor();
  await assertAccessible(page);
});
