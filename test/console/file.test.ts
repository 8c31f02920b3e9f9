import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { s3Config } from '../../adapters/object-store/config.ts';
import { createS3ObjectStore } from '../../adapters/object-store/s3-object-store.ts';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import { ImageDetails } from '../../db/entities/files/image-details.ts';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { originalKey } from '../../domain/object-keys.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { eventually, type Json, sharedRun } from '../support/api.ts';
import {
  assertAccessible,
  assertHighlighted,
  openConsole,
  SCREENS,
  type Screen,
  tabTo,
} from '../support/console.ts';
import { minimalPdf } from '../support/documents.ts';
import { screenshot } from '../support/images-of-text.ts';
import { type LoggedIn, logIn } from '../support/login.ts';

/** The page of a file: its places, why it is not done, and what is run again. */
const run = sharedRun();
const orm = createOrm(readConfig([databaseConfig], process.env));
const manual = readFileSync(new URL('../../dev/samples/documents/pump-manual.pdf', import.meta.url));
const screens = Object.keys(SCREENS) as Screen[];
const browser = openConsole(run);
let owner: LoggedIn;
let manualId: string;
before(async () => {
  owner = await logIn(orm, run);
  manualId = await owner.client.ingest({ bytes: manual, filename: 'pump-manual.pdf' });
  await owner.client.settled(manualId, 120);
});
after(() => orm.close(true));

async function elementsOf(page: number): Promise<Json[]> {
  return (await owner.client.get(`/files/${manualId}/digitization/pages/${page}`)).body.elements;
}

/** The width of the picture of a page that is shown, in pixels; 0 until it is. */
const drawnWidth = (page: Page, number: number) =>
  page.evaluate<number>(`(image => image?.complete ? image.naturalWidth : 0)(
    document.querySelector('img[alt="Picture of page ${number}"]'))`);
const boxOf = (id: string) => `[data-box="${id}"]`;

for (const screen of screens) {
  test(`a link opens a document at its element, over the page that is drawn: ${screen}`, async () => {
    const element = (await elementsOf(2)).at(-1);
    const path = `/files/${manualId}?page=2&element=${element.element_id}`;
    const { page } = await browser.signedIn(orm, { tenantId: owner.tenantId, screen, path });
    await page.getByRole('heading', { level: 1, name: 'pump-manual.pdf' }).waitFor();
    const box = page.locator(boxOf(element.element_id));
    await box.waitFor();
    await assertHighlighted(page, element.element_id);
    await eventually(async () => {
      assert.ok((await drawnWidth(page, 2)) >= 320, 'the page is not drawn');
      const [inner, outer] = [
        await box.boundingBox(),
        await page.getByRole('region', { name: 'Pages' }).boundingBox(),
      ];
      assert.ok(inner && outer, 'the element has no place');
      assert.ok(inner.y >= outer.y && inner.y < outer.y + outer.height, 'the element is not in sight');
    }, 45);
    await page.getByText(element.content.split('\n')[0]).last().waitFor();
    await assertAccessible(page);

    await page.getByRole('tab', { name: 'Text' }).click();
    await page.getByRole('button', { name: 'Copy the text' }).waitFor();
    await assertAccessible(page);
    await page.getByRole('tab', { name: 'Passages' }).click();
    await page.getByRole('article').first().waitFor();
    await assertAccessible(page);
    await page.getByRole('tab', { name: 'Details' }).click();
    await page.getByText('application/pdf').first().waitFor();
    await assertAccessible(page);
  });

  test(`the text of a picture is linked with its boxes: ${screen}`, async () => {
    const bytes = await screenshot().png().toBuffer();
    const id = await owner.client.ingest({ bytes, filename: `dialog-${screen}.png` });
    await owner.client.settled(id, 120);
    const { page } = await browser.signedIn(orm, {
      tenantId: owner.tenantId,
      screen,
      path: `/files/${id}`,
    });
    const text = page.getByRole('button', { name: /^Seventeen invoices/ });
    await text.click();
    const box = page.locator('[data-box][title^="Seventeen invoices"]');
    await assertHighlighted(page, (await box.getAttribute('data-box')) ?? '');
    assert.equal(await text.getAttribute('aria-pressed'), 'true');
    await page.locator('[data-box][title="Continue"]').click();
    const other = page.getByRole('button', { name: /^Continue/ });
    await eventually(async () => assert.equal(await other.getAttribute('aria-pressed'), 'true'), 45);
    assert.equal(await text.getAttribute('aria-pressed'), 'false');
    await assertAccessible(page);
  });
}

test('a page whose picture cannot be had says so, and its elements stay in their place', async () => {
  const texts = Array.from({ length: 12 }, (_, at) => `Part ${at + 1} of the travels`);
  const id = await owner.client.ingest({ bytes: minimalPdf(texts), filename: 'parts.pdf' });
  await owner.client.settled(id, 120);
  const { page } = await browser.signedIn(orm, { tenantId: owner.tenantId });
  await page.route(/pages\/\d+\/image/, (route) => route.fulfill({ status: 409 }));
  await page.goto(`/files/${id}?page=9`);
  const linked = page.getByRole('region', { name: 'Page 9', exact: true });
  await linked.locator('[data-box]').first().waitFor();
  await linked.getByText('This page cannot be drawn.').waitFor();
  const pages = page.getByRole('region', { name: 'Pages' });
  await eventually(async () => {
    const [inner, outer] = [await linked.boundingBox(), await pages.boundingBox()];
    assert.ok(inner && outer, 'the page is not there');
    assert.ok(inner.y >= outer.y && inner.y < outer.y + outer.height, 'the page is not in sight');
  }, 45);
});

test('objects are drawn over a picture, and hidden on request', async () => {
  const bytes = readFileSync(new URL('../../dev/samples/coffee.jpg', import.meta.url));
  const id = await owner.client.ingest({ bytes, filename: 'coffee.jpg' });
  await owner.client.settled(id, 120);
  // Stacks of tests have no models that find some.
  const cup = { label: 'cup', score: 0.9, box: { xMin: 0.25, yMin: 0.1, xMax: 0.75, yMax: 0.6 } };
  await orm.em.fork().nativeUpdate(ImageDetails, { fileId: id }, { detectedObjects: [cup] });
  const { page } = await browser.signedIn(orm, { tenantId: owner.tenantId, path: `/files/${id}` });
  const box = page.locator('[data-box][title="cup"]');
  await box.waitFor();
  const place = await page.evaluate<string[]>(
    `(({ style }) => [style.left, style.top, style.width, style.height])(document.querySelector('[data-box][title="cup"]'))`,
  );
  assert.deepEqual(place, ['25%', '10%', '50%', '50%']);
  await page.getByLabel('Objects (1)').uncheck();
  await box.waitFor({ state: 'detached' });
  await assertAccessible(page);
});

test('the elements of a page are reached by the keyboard alone', async () => {
  const elements = await elementsOf(1);
  const path = `/files/${manualId}?page=1&element=${elements[0].element_id}`;
  const { page } = await browser.signedIn(orm, { tenantId: owner.tenantId, path });
  await page.locator(boxOf(elements[0].element_id)).waitFor();
  await tabTo(page, 'Next element');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**element=${elements[1].element_id}*`);
  await assertHighlighted(page, elements[1].element_id);
  const heading = (await elementsOf(2)).find(({ type }) => type === 'heading');
  assert.ok(heading, 'the second page has no heading');
  await tabTo(page, new RegExp(`^${heading.content}`));
  await page.keyboard.press('Enter');
  await page.waitForURL(`**element=${heading.element_id}*`);
  await assertHighlighted(page, heading.element_id);
  await tabTo(page, 'Pages');
  for (const tab of ['Text', 'Passages', 'Details', 'Extractions', 'Processing']) {
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { name: tab, selected: true }).waitFor();
  }
  await page.getByRole('table', { name: 'Parts' }).waitFor();
});

test('one page that could not be read is read again, and the file completes while one looks', async () => {
  const whole = minimalPdf(Array.from({ length: 7 }, (_, at) => `Chapter ${at + 1} of the travels`));
  // Of the same length; its last page is missing.
  const broken = Buffer.from(whole.toString('latin1').replace('16 0 R] /Count', '99 0 R] /Count'), 'latin1');
  const id = await owner.client.ingest({ bytes: broken, filename: 'travels.pdf' });
  assert.equal((await owner.client.settled(id, 120)).primary_status, 'partially_completed');
  const { page } = await browser.signedIn(orm, {
    tenantId: owner.tenantId,
    role: 'editor',
    screen: 'phone',
    path: `/files/${id}?page=7`,
  });
  const last = page.getByRole('region', { name: 'Page 7', exact: true });
  await last.getByText('Failed').waitFor();
  await page
    .getByText(/page 7 of 7 could not be read/)
    .first()
    .waitFor();
  await assertAccessible(page);

  // Somebody puts the whole document back.
  const objects = createS3ObjectStore(readConfig([s3Config], process.env));
  const { objectKey } = await orm.em.fork().findOneOrFail(StoredFile, { id });
  const key = originalKey({ tenantId: owner.tenantId }, id, 'restored');
  await objects.put(key, whole, { contentType: 'application/pdf' });
  await orm.em.fork().nativeUpdate(StoredFile, { id }, { objectKey: key });
  await objects.remove([objectKey]);

  await last.getByRole('button', { name: /^Read again/ }).click();
  await last.locator('[data-box]').waitFor();
  await last.getByText('Failed').waitFor({ state: 'detached' });
  await page.getByRole('heading', { level: 1, name: 'travels.pdf' }).waitFor();
  await page.getByText('Completed', { exact: true }).first().waitFor();
  await page.getByText(/could not be read/).waitFor({ state: 'detached' });
});

for (const screen of screens) {
  test(`processing shows the attempts, to admins with the way to the engine: ${screen}`, async () => {
    const path = `/files/${manualId}?tab=processing`;
    const { page } = await browser.signedIn(orm, { tenantId: owner.tenantId, role: 'admin', screen, path });
    const steps = page.getByRole('table', { name: 'Steps of run 1' });
    await steps.waitFor();
    const { body: timeline } = await owner.client.get(`/files/${manualId}/timeline`);
    const [first] = timeline.runs;
    assert.equal(await steps.getByRole('img', { name: /last attempt took/ }).count(), first.steps.length);
    const attempts = await steps.locator('tbody tr td:nth-child(3)').allInnerTexts();
    assert.deepEqual(
      attempts,
      first.steps.map(({ attempt }: Json) => String(attempt)),
    );
    const engine = page.getByRole('link', { name: 'Open in Temporal' });
    assert.equal(await engine.getAttribute('href'), timeline.workflow_url);
    assert.ok(timeline.workflow_url.startsWith(run.temporal_ui_url));
    await page
      .getByRole('button', { name: /^Run again/ })
      .first()
      .waitFor();
    await assertAccessible(page);

    const viewer = await browser.signedIn(orm, { tenantId: owner.tenantId, role: 'viewer', screen, path });
    await viewer.page.getByRole('table', { name: 'Steps of run 1' }).waitFor();
    assert.equal(await viewer.page.getByRole('link', { name: 'Open in Temporal' }).count(), 0);
    assert.equal(await viewer.page.getByRole('button', { name: /^Run again|^Retry/ }).count(), 0);
    await assertAccessible(viewer.page);
    await viewer.page.getByRole('button', { name: 'Actions' }).click();
    await viewer.page.getByRole('menuitem').first().waitFor();
    assert.deepEqual(await viewer.page.getByRole('menuitem').allInnerTexts(), ['Ask about it']);
  });
}

for (const [how, isLive] of [
  ['by the live channel', true],
  ['by polling', false],
] as const) {
  test(`what failed for want of credits is retried, and completes while one looks, ${how}`, async () => {
    const chapters = Array.from({ length: 12 }, (_, at) => `Chapter ${at + 1} of the travels on foot`);
    const poor = await logIn(orm, run, { tenant: { maxMonthlyCredits: 3 } });
    const id = await poor.client.ingest({ bytes: minimalPdf(chapters), filename: 'travels.pdf' });
    await poor.client.settled(id, 120);
    const { page } = await browser.signedIn(orm, { tenantId: poor.tenantId, path: `/files/${id}` });
    await page
      .getByText(/credits needed/)
      .first()
      .waitFor();
    if (!isLive) await page.route('**/files/*/events', (route) => route.fulfill({ status: 404 }));
    await orm.em.fork().nativeUpdate(Tenant, poor.tenantId, { maxMonthlyCredits: -1 });
    await page.getByRole('button', { name: 'See why' }).click();
    await page.getByRole('button', { name: 'Retry what failed' }).click();
    await page.getByRole('table', { name: 'Steps of run 2' }).waitFor();
    await page.getByText('Everything is completed.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Retry what failed' }).count(), 0);
  });
}
