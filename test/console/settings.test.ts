import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { createClient, eventually, sharedRun } from '../support/api.ts';
import { assertAccessible, openConsole, SCREENS, type Screen, tabTo } from '../support/console.ts';
import { mailTo } from '../support/mails.ts';
import { ok, startWebhookReceiver, status } from '../support/webhook-receiver.ts';

/** Keys, members, webhooks and usage of an organisation. */
const run = sharedRun();
const orm = createOrm(readConfig([databaseConfig], process.env));
const screens = Object.keys(SCREENS) as Screen[];
const browser = openConsole(run);
after(() => orm.close(true));

const clipboard = (page: Page): Promise<string> => page.evaluate('navigator.clipboard.readText()');
const statusWith = async (key: string) => (await createClient(run, key).get('/files')).status;

for (const screen of screens) {
  test(`a key is shown once, works, and is refused once it is revoked: ${screen}`, async () => {
    const { page, user } = await browser.signedIn(orm, { screen, path: '/settings/keys' });
    await page.getByText('No keys yet').waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Create a key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create a key' });
    await dialog.getByLabel('Name').fill('Nightly import');
    await dialog.getByLabel('Read files').check();
    await assertAccessible(page);
    await dialog.getByRole('button', { name: 'Create a key' }).click();
    const shown = page.getByRole('dialog', { name: 'Your new key' });
    await shown.getByRole('button', { name: 'Copy' }).click();
    await shown.getByRole('button', { name: 'Copied' }).waitFor();
    await assertAccessible(page);
    const key = await clipboard(page);
    assert.equal(await shown.locator('code').innerText(), key);
    assert.equal(await statusWith(key), 200);
    const refused = await createClient(run, key).post('/folders', { name: 'Nightly' });
    assert.equal(refused.status, 403, 'the key has the scope that was chosen only');
    await shown.getByRole('button', { name: 'Close' }).last().click();
    await page.reload();
    const row = page.getByRole('row', { name: /Nightly import/ });
    await row.waitFor();
    assert.ok(!(await page.content()).includes(key), 'the key is shown again');
    await row.getByRole('button', { name: 'Revoke' }).click();
    const question = page.getByRole('dialog', { name: 'Revoke “Nightly import”?' });
    await question.getByRole('button', { name: 'Revoke' }).click();
    await row.waitFor({ state: 'detached' });
    assert.equal(await statusWith(key), 401);
    await page.getByLabel('Show revoked and expired keys').check();
    await row.getByText('Revoked').waitFor();
    await assertAccessible(page);
    await page.goto('/settings/audit-log');
    const entry = page.getByRole('row', { name: /Revoked an API key/ });
    await entry.getByText(user.email).waitFor();
    await assertAccessible(page);
    await entry.getByRole('link', { name: 'Nightly import' }).click();
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
  });

  test(`somebody is invited as an editor: ${screen}`, async () => {
    const { page } = await browser.signedIn(orm, { screen, path: '/settings/members' });
    const email = `grace-${randomUUID().slice(0, 8)}@studio.example`;
    await page.getByRole('button', { name: 'Invite' }).click();
    const dialog = page.getByRole('dialog', { name: 'Invite somebody' });
    await dialog.getByLabel('Email').fill('grace');
    await dialog.getByRole('button', { name: 'Invite' }).click();
    await dialog.getByText('An email address is needed').waitFor();
    await dialog.getByLabel('Email').fill(email);
    await dialog.getByLabel('Role').selectOption('editor');
    await dialog.getByText('Also uploads, changes, deletes and extracts.').waitFor();
    await assertAccessible(page);
    await dialog.getByRole('button', { name: 'Invite' }).click();
    const row = page.getByRole('row', { name: new RegExp(email) });
    await row.getByText('Invited').waitFor();
    await assertAccessible(page);
    const { token } = await mailTo(email, /invit/i);
    assert.ok(token, 'the email has no token');
  });

  test(`a webhook has a log, and what failed is sent again: ${screen}`, async (t) => {
    const receiver = await startWebhookReceiver();
    t.after(() => receiver.stop());
    const { page } = await browser.signedIn(orm, { screen, path: '/settings/webhooks' });
    await page.getByRole('button', { name: 'Add a webhook' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a webhook' });
    await dialog.getByLabel('Address').fill(receiver.url);
    await assertAccessible(page);
    await dialog.getByRole('button', { name: 'Add a webhook' }).click();
    const shown = page.getByRole('dialog', { name: 'The signing secret' });
    await shown.getByRole('button', { name: 'Copy' }).click();
    await shown.getByRole('button', { name: 'Copied' }).waitFor();
    const secret = await clipboard(page);
    await shown.getByRole('button', { name: 'Close' }).last().click();
    await assertAccessible(page);
    await page.getByRole('link', { name: receiver.url }).click();
    await page.getByText('Nothing has been sent yet.').waitFor();

    // 410 ends a delivery without another attempt.
    receiver.answer(status(410));
    await page.getByRole('button', { name: 'Send a test event' }).click();
    const log = page.getByRole('listitem').filter({ hasText: 'webhook.test' });
    await log.getByText('Failed').first().waitFor();
    receiver.verify(receiver.events[0] ?? assert.fail('nothing was received'), secret);
    await log.locator('summary').first().click();
    await log.getByText('it is 410').waitFor();
    await assertAccessible(page);
    // The answer has disabled the webhook.
    await page
      .getByText(/it is gone/)
      .first()
      .waitFor();
    receiver.answer(ok);
    await page.getByRole('button', { name: 'Enable', exact: true }).click();
    await page.getByRole('button', { name: 'Disable', exact: true }).waitFor();
    await log.getByRole('button', { name: 'Send again' }).first().click();
    await page.getByText('Delivered').first().waitFor();
    await eventually(async () => assert.equal(receiver.events.length, 2), 45);
  });

  test(`usage shows what was used: ${screen}`, async () => {
    const { page, user } = await browser.signedIn(orm, { screen, path: '/settings/profile' });
    await user.client.get('/files');
    await page.goto('/settings/usage');
    await page.getByText('Credits used this month').waitFor();
    await page.getByRole('figure').locator('canvas').waitFor();
    await page.getByText(/^Requests from .* in all\.$/).waitFor();
    await assertAccessible(page);
  });
}

/** The buttons of the page itself, without those of the shell. */
const changes = (page: Page) => page.locator('main').getByRole('button').allInnerTexts();

test('viewers see, and do only what they may', async () => {
  const { user: owner } = await browser.signedIn(orm);
  const id = await owner.client.ingest({
    bytes: Buffer.from('# Log\n\nThe tide was low.\n'),
    filename: 'log.md',
  });
  await owner.client.settled(id);
  const { page } = await browser.signedIn(orm, { tenantId: owner.tenantId, role: 'viewer', screen: 'phone' });
  await page.getByText('log.md').first().waitFor();
  await page.getByRole('button', { name: 'Menu' }).click();
  const navigation = page.getByRole('navigation', { name: 'Main' });
  await navigation.getByRole('link', { name: 'Ask' }).waitFor();
  assert.equal(await navigation.getByRole('link', { name: 'Add' }).count(), 0);
  await page.goto('/add');
  await page.getByText(/^Your role may read files/).waitFor();
  await assertAccessible(page);
  await page.goto('/extract');
  await page.getByText('Your role may read results, but not start extractions.').waitFor();
  await assertAccessible(page);
  await page.goto(`/files/${id}`);
  await page.getByText('The tide was low.').first().waitFor();
  assert.equal(await page.getByRole('button', { name: /^(Read again|Edit|Delete|Move)/ }).count(), 0);
  await page.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem').first().waitFor();
  assert.deepEqual(await page.getByRole('menuitem').allTextContents(), ['Ask about it']);
  for (const name of ['keys', 'webhooks', 'storage', 'connections', 'audit-log']) {
    await page.goto(`/settings/${name}`);
    await page.getByText('Only admins and owners see and change this.').waitFor();
    assert.deepEqual(await changes(page), [], name);
  }
  await assertAccessible(page);
  for (const name of ['members', 'organisation', 'usage']) {
    await page.goto(`/settings/${name}`);
    await page.getByRole('table').or(page.getByRole('definition')).first().waitFor();
    assert.deepEqual(await changes(page), [], name);
    await assertAccessible(page);
  }
});

test('a key is created and revoked by the keyboard alone', async () => {
  const { page } = await browser.signedIn(orm, { path: '/settings/keys' });
  await page.getByText('No keys yet').waitFor();
  await tabTo(page, 'Create a key');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Create a key' }).waitFor();
  await tabTo(page, 'Name');
  await page.keyboard.type('Kiosk');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Your new key' }).waitFor();
  await tabTo(page, 'Copy');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  const key = await clipboard(page);
  assert.equal(await statusWith(key), 200);
  await page.keyboard.press('Escape');
  await page.getByRole('row', { name: /Kiosk/ }).waitFor();
  await tabTo(page, 'Revoke');
  await page.keyboard.press('Enter');
  const question = page.getByRole('dialog', { name: 'Revoke “Kiosk”?' });
  await question.waitFor();
  await tabTo(page, 'Revoke');
  await page.keyboard.press('Enter');
  await page.getByText('No keys yet').waitFor();
  assert.equal(await statusWith(key), 401);
});

test("the address of another tenant's file shows what that of an absent one does", async () => {
  const { user } = await browser.signedIn(orm);
  const id = await user.client.ingest({
    bytes: Buffer.from('# Secret\n\nThe vault is open.\n'),
    filename: 'secret.md',
  });
  await user.client.settled(id);
  const { page } = await browser.signedIn(orm);
  const shownAt = async (path: string) => {
    await page.goto(path);
    await page.getByRole('heading', { level: 1, name: 'This page does not exist.' }).waitFor();
    return page.locator('main').innerText();
  };
  for (const rest of ['', '?page=1', '?tab=processing']) {
    assert.equal(await shownAt(`/files/${id}${rest}`), await shownAt(`/files/${randomUUID()}${rest}`));
  }
  await assertAccessible(page);
});

test('the models that are missing are shown, with what they are needed for and how to get them', async () => {
  const { page } = await browser.signedIn(orm, { path: '/settings/organisation' });
  const table = page.getByRole('table', { name: 'Models that are missing' });
  await table.getByRole('row', { name: /text-recognition.*read the lines of text in images/ }).waitFor();
  await page.getByText('npm run models').waitFor();
  await assertAccessible(page);
});
