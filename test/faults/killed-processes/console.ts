import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../support/api.ts';
import { assertAccessible, openConsole, SCREENS, type Screen } from '../../support/console.ts';
import { logIn, openSession } from '../../support/login.ts';
import { imageOfText } from '../../support/images-of-text.ts';
import { scannedPdf } from '../../support/scans.ts';
import { own } from './stack.ts';

/** What the console says about a file that hangs. */
const { stack, orm } = own;
const browser = openConsole(stack.runInfo);

/** A file is reported as stuck after a minute of silence at the earliest. */
const STUCK = { timeout: 180_000 };

test('the console says why a picture hangs without the worker that recognises text, and sees it complete', async () => {
  const user = await logIn(orm, stack.runInfo);
  await stack.kill('worker-ocr', 'SIGTERM');
  await eventually(async () => assert.equal(stack.pid('worker-ocr'), undefined));
  const lines = ['Ferry to Bergen', 'departs at nine', 'from the north pier'];
  const words = lines.map((text, at) => ({ text, x: 60, y: 150 + at * 120, size: 70 }));
  const bytes = await imageOfText({ width: 900, height: 500 }, words).png().toBuffer();
  const id = await user.client.ingest({ bytes, filename: 'ferry.png' });
  await user.client.ingest({ bytes: await scannedPdf([words]), filename: 'scan.pdf' });
  const open = async (screen: Screen) =>
    browser.open({ screen, cookie: (await openSession(orm, stack.runInfo, user)).cookie });
  const pages = await Promise.all((Object.keys(SCREENS) as Screen[]).map(open));

  for (const page of pages) {
    await page.goto(`/files/${id}`);
    await page
      .getByRole('status')
      .filter({ hasText: /queued since .*: no worker is free/ })
      .waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'See why' }).click();
    await page
      .getByRole('tabpanel')
      .getByText(/queued since .*: no worker is free/)
      .waitFor();
    await assertAccessible(page);
  }
  for (const page of pages) {
    await page.goto('/work?tab=stuck');
    await page.getByLabel('No progress for at least').selectOption('1 minute');
    await page.getByText('2 files are stuck').waitFor(STUCK);
    const row = page.getByRole('row').filter({ hasText: 'ferry.png' });
    await row.getByText('No worker is running for it').waitFor();
    await row.getByText('Start a worker for its queue: docs/runbook.md says how.').waitFor();
    await assertAccessible(page);
  }
  const [page] = pages;
  await page?.getByRole('link', { name: 'ferry.png' }).click();
  await page?.getByRole('heading', { level: 1, name: 'ferry.png' }).waitFor();

  await stack.start('worker-ocr');
  // The open page follows by itself.
  await page?.getByRole('main').getByText('Completed').first().waitFor();
  assert.equal((await user.client.settled(id)).primary_status, 'completed');
  await page?.goBack();
  await page?.getByRole('status').filter({ hasText: 'Nothing is stuck' }).waitFor();
});
