import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { chromiumConfig } from '../../../adapters/browser/config.ts';
import { createScreenshots, guardOf, ScreenshotFailed } from '../../../adapters/browser/screenshots.ts';
import { createAddressGuard } from '../../../adapters/outbound/address-guard.ts';

const INSIDE = '10.1.2.3';
const OUTSIDE = '1.1.1.1';
const allowed = createAddressGuard([INSIDE, OUTSIDE], { plainPublic: true });
const names: Record<string, string[]> = {
  'inside.test': [INSIDE],
  'outside.test': [OUTSIDE],
  'both.test': [INSIDE, OUTSIDE],
};

for (const [url, reachesInside] of [
  ['http://inside.test/', true],
  [`http://${INSIDE}:8080/`, true],
  ['https://outside.test/', false],
  [`https://${OUTSIDE}/`, false],
  ['https://both.test/', false],
  ['https://[2606:4700:4700::1111]/', false],
  ['https://unknown.test/', false],
  ['about:blank', false],
] as const)
  test(`a page of ${url} reaches ${reachesInside ? 'allowed networks as well' : 'only the internet'}`, async () => {
    const guard = await guardOf(url, allowed, async (name) => {
      const found = names[name];
      if (!found) throw new Error('no such name');
      return found.map((address) => ({ address, family: 4 }));
    });
    assert.equal(guard.refuse(INSIDE, true) === undefined, reachesInside);
    assert.equal(guard.refuse(OUTSIDE, false), undefined);
  });

test('a browser failure does not count against the page and carries its cause for the log', async () => {
  const config = chromiumConfig.parse({ CHROMIUM_PATH: '/bin/true' });
  const call = { tenantId: 'one', signal: new AbortController().signal };
  const screenshots = createScreenshots(config, allowed);
  assert.ok(screenshots);
  await assert.rejects(screenshots.take('about:blank', call), (error) => {
    assert.ok(error instanceof ScreenshotFailed && error.cause instanceof Error);
    assert.deepEqual([error.message, error.cause.name], ['the browser failed', 'ChromiumGone']);
    return true;
  });
});

test('a browser without a sandbox requires a worker running as root', () => {
  const isGood = (env: object) => chromiumConfig.safeParse({ CHROMIUM_PATH: '/bin/true', ...env }).success;
  const asUser = (uid: number, check: () => void) => {
    const { mock: mocked } = mock.method(process as { getuid: () => number }, 'getuid', () => uid);
    check();
    mocked.restore();
  };
  asUser(0, () => assert.ok(isGood({ CHROMIUM_SANDBOX: 'off' })));
  asUser(1000, () => {
    assert.ok(isGood({}));
    assert.ok(!isGood({ CHROMIUM_SANDBOX: 'off' }));
    assert.ok(isGood({ CHROMIUM_PATH: undefined, CHROMIUM_SANDBOX: 'off' }));
  });
});
