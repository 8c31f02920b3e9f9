import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { chromiumConfig } from '../../../adapters/browser/config.ts';
import { createScreenshots } from '../../../adapters/browser/screenshots.ts';
import { createAddressGuard } from '../../../adapters/outbound/address-guard.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { explainError, type Area } from '../run-checks.ts';

const run = promisify(execFile);
/** Limits for a blank page. */
const LIMITS = { wallMs: 15_000, cpuMs: 10_000, loadMs: 1_000 };

/** Checks the Chromium on this machine, which takes screenshots of links, with a blank page. */
export const links: Area = {
  name: 'Links',
  slices: [chromiumConfig],
  async check(env, report) {
    const config = readConfig([chromiumConfig], env);
    const { CHROMIUM_PATH: path, CHROMIUM_SANDBOX: sandbox } = config;
    const screenshots = createScreenshots(config, createAddressGuard([]), LIMITS);
    if (path === undefined || !screenshots)
      return report.ok('Chromium', 'not configured: links have no screenshots');
    const { stdout } = await run(path, ['--version'], { env: {} });
    const what = `${/[\d.]{5,}/.exec(stdout)?.[0] ?? 'unknown'} at ${path}`;
    const call = { tenantId: 'doctor', signal: AbortSignal.timeout(2 * LIMITS.wallMs) };
    try {
      await screenshots.take('about:blank', call);
    } catch (error) {
      return report.fail('Chromium', `${what} shows no page: ${explainError(error)}`, REMEDY);
    }
    if (sandbox === 'on') return report.ok('Chromium', `${what} shows a page`);
    report.warn(
      'Chromium',
      `${what} shows a page, without its sandbox`,
      'set CHROMIUM_SANDBOX=on if the kernel allows it',
    );
  },
  remedy: () => 'correct CHROMIUM_PATH, or remove it',
};

const REMEDY = 'see "Screenshots of links" in docs/runbook.md, or remove CHROMIUM_PATH';
