import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { sharedRun } from '../support/api.ts';
import {
  assertAccessible,
  assertHighlighted,
  openConsole,
  SCREENS,
  type Screen,
  tabTo,
} from '../support/console.ts';
import { type LoggedIn, logIn } from '../support/login.ts';

/** From a document to an answer with its source. */
const run = sharedRun();
const orm = createOrm(readConfig([databaseConfig], process.env));
const bytes = readFileSync(new URL('../../dev/samples/documents/pump-manual.pdf', import.meta.url));
const QUESTION = 'How long is the warranty?';
const screens = Object.keys(SCREENS) as Screen[];
const browser = openConsole(run);
let owner: LoggedIn;
before(async () => {
  owner = await logIn(orm, run);
  await owner.client.settled(await owner.client.ingest({ bytes, filename: 'pump-manual.pdf' }), 120);
});
after(() => orm.close(true));

for (const screen of screens) {
  test(`a question is answered with a source that opens at its place: ${screen}`, async () => {
    const { page } = await browser.signedIn(orm, {
      tenantId: owner.tenantId,
      role: 'viewer',
      screen,
      path: '/ask',
    });
    await page.getByText('No question yet').waitFor();
    await assertAccessible(page);
    await page.getByLabel('Your question').fill(QUESTION);
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    const card = page.getByRole('article').filter({ hasText: QUESTION });
    await card.getByText('Best sentences').waitFor();
    await assertAccessible(page);
    const quote = (await card.locator('q').first().innerText()).trim();
    assert.match(quote, /warranty/i);
    await card
      .getByRole('button', { name: /^Source 1: pump-manual\.pdf, page \d/ })
      .first()
      .click();
    await card
      .getByRole('link', { name: /^pump-manual\.pdf, page \d/ })
      .first()
      .click();
    await page.waitForURL(/\/files\/[\w-]+\?page=\d&element=/);
    const element = new URL(page.url()).searchParams.get('element') ?? '';
    await assertHighlighted(page, element);
    const title = await page.locator(`[data-box="${element}"]`).getAttribute('title');
    assert.ok(title?.includes(quote), `${title} does not hold ${quote}`);
    await page.goBack();
    await page.getByRole('heading', { name: QUESTION }).waitFor();
  });
}

test('a question that no document answers has no answer, asked by the keyboard alone', async () => {
  const question = 'Who won the chess olympiad in Budapest?';
  const { page } = await browser.signedIn(orm, { tenantId: owner.tenantId, path: '/ask' });
  await page.getByText('No question yet').waitFor();
  await tabTo(page, 'Your question');
  await page.keyboard.press('Enter');
  await page.getByText('Write a question.').waitFor();
  await page.keyboard.type(question);
  await page.keyboard.press('Enter');
  const card = page.getByRole('article').filter({ hasText: question });
  await card.getByText('Not in these documents').waitFor();
  assert.equal(await card.locator('q').count(), 0);
  await assertAccessible(page);
  await tabTo(page, 'Your question');
  await page.keyboard.type(QUESTION);
  await page.keyboard.press('Enter');
  await page.getByRole('article').filter({ hasText: QUESTION }).getByText('Best sentences').waitFor();
  await tabTo(page, /^pump-manual\.pdf, page \d/);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/files\/[\w-]+\?page=\d/);
});
