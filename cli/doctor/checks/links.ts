import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { chromiumConfig } from '../../../adapters/browser/config.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import type { Area } from '../run-checks.ts';

const run = promisify(execFile);

/** The browser that takes screenshots of links, on the machine of this command. No page is opened. */
export const links: Area = {
  name: 'Links',
  slices: [chromiumConfig],
  async check(env, report) {
    const { CHROMIUM_PATH: path, CHROMIUM_SANDBOX: sandbox } = readConfig([chromiumConfig], env);
    if (path === undefined) return report.ok('Chromium', 'none is configured: links have no screenshots');
    const { stdout } = await run(path, ['--version'], { env: {} });
    const version = /[\d.]{5,}/.exec(stdout)?.[0] ?? 'unknown';
    const what = `${version} at ${path}`;
    if (sandbox === 'on') return report.ok('Chromium', what);
    report.warn(
      'Chromium',
      `${what}, without its sandbox`,
      'CHROMIUM_SANDBOX=on, where the kernel allows it',
    );
  },
  remedy: () => 'correct CHROMIUM_PATH, or remove it',
};
