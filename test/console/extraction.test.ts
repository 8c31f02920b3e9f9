import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { type Json, sharedRun } from '../support/api.ts';
import {
  assertAccessible,
  assertHighlighted,
  openConsole,
  SCREENS,
  type Screen,
  tabTo,
} from '../support/console.ts';
import { screenshot } from '../support/images-of-text.ts';
import { type LoggedIn, logIn } from '../support/login.ts';
import { scannedPdf } from '../support/scans.ts';

/** Values from a scan by a schema that is written here, and findings that a person corrects; without a model. */
const run = sharedRun();
const orm = createOrm(readConfig([databaseConfig], process.env));
const screens = Object.keys(SCREENS) as Screen[];
const browser = openConsole(run);
let owner: LoggedIn;
let scanId: string;
before(async () => {
  owner = await logIn(orm, run);
  const bytes = await scannedPdf([
    [
      { text: 'CORNER BAKERY', x: 120, y: 140, size: 40 },
      { text: 'Date: 21 November 2026', x: 120, y: 260, size: 32 },
      { text: 'Subtotal: 12.50', x: 120, y: 360, size: 32 },
      { text: 'Total: 13.50', x: 120, y: 460, size: 32 },
    ],
  ]);
  scanId = await owner.client.ingest({ bytes, filename: 'receipt-scan.pdf' });
  await owner.client.settled(scanId, 120);
});
after(() => orm.close(true));

const schema = (total: string) => `{
  "type": "object",
  "properties": {
    "date": { "type": "string", "format": "date" },
    "total": ${total}
  }
}`;

for (const screen of screens) {
  test(`a schema is written, and its values lead to their sources: ${screen}`, async () => {
    const path = `/extract?file=${encodeURIComponent(JSON.stringify([scanId]))}`;
    const { page } = await browser.signedIn(orm, {
      tenantId: owner.tenantId,
      role: 'editor',
      screen,
      path,
    });
    await page.getByRole('tab', { name: 'JSON' }).click();
    const json = page.getByLabel('Schema as JSON');
    await json.fill(schema('{ "type" "number" }'));
    const mistake = page.getByRole('button', { name: 'Line 5: a colon is missing here' });
    await mistake.waitFor();
    await assertAccessible(page);
    await mistake.click();
    const line = await page.evaluate<string>(
      '(({ activeElement: area }) => area.value.slice(area.selectionStart, area.selectionEnd))(document)',
    );
    assert.match(line, /"total"/);
    await page.getByRole('tab', { name: 'Form' }).click();
    await page.getByText(/^The JSON has a mistake/).waitFor();
    assert.ok(await page.getByRole('button', { name: 'Extract', exact: true }).isDisabled());

    // JSON, but not a schema that the API takes: both views say so.
    await page.getByRole('tab', { name: 'JSON' }).click();
    await json.fill(schema('{ "type": "quantity" }'));
    await page.getByRole('button', { name: /^Line 5: / }).waitFor();
    await page.getByText('1 problem').waitFor();
    await page.getByRole('tab', { name: 'Form' }).click();
    const total = page.getByRole('group', { name: 'Field total' });
    await total.locator('p.text-bad').waitFor();
    await assertAccessible(page);

    await page.getByRole('tab', { name: 'JSON' }).click();
    await json.fill(schema('{ "type": "string" }'));
    await page.getByRole('tab', { name: 'Form' }).click();
    assert.equal(await total.getByLabel('Name').inputValue(), 'total');
    await total.getByLabel('Type').selectOption({ label: 'Number' });
    await page.getByRole('tab', { name: 'JSON' }).click();
    assert.deepEqual(JSON.parse(await json.inputValue()).properties.total, { type: 'number' });
    await page.getByText('The schema is valid.').waitFor();
    await page.getByRole('button', { name: 'Extract', exact: true }).click();

    await page.getByRole('heading', { level: 1, name: /^Extraction from receipt-scan/ }).waitFor();
    const value = page.getByRole('button', { name: '13.5', exact: true });
    await value.click();
    assert.equal(await value.getAttribute('aria-pressed'), 'true');
    await page.getByText(/^“.*13\.50.*”$/).waitFor();
    await assertHighlighted(page, '/total');
    await page.getByRole('img', { name: 'Picture of page 1' }).waitFor();
    await assertAccessible(page);
    await page.getByRole('link', { name: 'Open page 1 of the file' }).click();
    await page.waitForURL(/\/files\/[\w-]+\?page=1&element=/);
    await assertHighlighted(page, new URL(page.url()).searchParams.get('element') ?? '');
  });

  test(`a finding is corrected and brought back: ${screen}`, async () => {
    const id = await dialog();
    const path = `/files/${id}/findings?domain=text_regions`;
    const { page } = await browser.signedIn(orm, { tenantId: owner.tenantId, role: 'editor', screen, path });
    const finding = page.getByRole('tabpanel').getByRole('listitem').nth(1);
    await finding.getByText('Seventeen invoices are overdue since March').waitFor();
    await assertAccessible(page);
    await finding.getByRole('button', { name: 'Correct Text' }).click();
    await finding.getByLabel('Correct Text').fill('Eighteen invoices are overdue');
    await finding.getByRole('button', { name: 'Save' }).click();
    await finding.getByText('Read as Seventeen invoices are overdue since March').waitFor();
    assert.deepEqual(await textsOf(id), ['Quarterly report', 'Eighteen invoices are overdue', 'Continue']);
    await assertAccessible(page);
    await finding.getByRole('button', { name: 'Back to what was read' }).click();
    await finding.getByText(/^Read as/).waitFor({ state: 'detached' });
    await finding.getByText('Seventeen invoices are overdue since March').waitFor();
    assert.equal((await textsOf(id))[1], 'Seventeen invoices are overdue since March');
    await finding.getByRole('button', { name: /^Reject/ }).click();
    await finding.getByRole('button', { name: /^Rejected/, pressed: true }).waitFor();

    const viewer = await browser.signedIn(orm, { tenantId: owner.tenantId, role: 'viewer', screen, path });
    const seen = viewer.page.getByRole('tabpanel').getByRole('listitem').nth(1);
    await seen.getByText('Rejected').waitFor();
    assert.equal(await seen.getByRole('button').count(), 0);
  });
}

test('a finding is corrected by the keyboard alone', async () => {
  const id = await dialog();
  const path = `/files/${id}/findings?domain=text_regions`;
  const { page } = await browser.signedIn(orm, { tenantId: owner.tenantId, path });
  await page.getByText('Quarterly report').first().waitFor();
  await tabTo(page, 'Correct Text');
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Correct Text' }).waitFor();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Yearly report');
  await page.keyboard.press('Enter');
  await page.getByText('Read as Quarterly report').waitFor();
  await tabTo(page, 'Back to what was read');
  await page.keyboard.press('Enter');
  await page.getByText(/^Read as/).waitFor({ state: 'detached' });
  assert.equal((await textsOf(id))[0], 'Quarterly report');
});

/** A screenshot with three lines of text, processed. */
async function dialog(): Promise<string> {
  const bytes = await screenshot().png().toBuffer();
  const fields = { content_category: 'screenshot' };
  const id = await owner.client.ingest({ bytes, filename: 'dialog.png', fields });
  await owner.client.settled(id, 120);
  return id;
}

async function textsOf(id: string): Promise<string[]> {
  const { extractions } = (await owner.client.get(`/files/${id}/extractions`)).body;
  const found = extractions.find(({ domain_name: domain }: Json) => domain === 'text_regions');
  return found.corrected_result.items.map(({ text }: Json) => text);
}
