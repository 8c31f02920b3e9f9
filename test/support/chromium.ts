import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import sparticuz from '@sparticuz/chromium';

/** Finds a browser on this machine, or else unpacks that of the npm package, executable for every user. */
export async function findChromium(): Promise<{ executablePath: string; args: string[] }> {
  for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
    try {
      const path = execFileSync('which', [name], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim();
      return { executablePath: path, args: ['--no-sandbox'] };
    } catch {
      // Not installed; try the next name.
    }
  }
  const executablePath = await sparticuz.executablePath();
  chmodSync(executablePath, 0o755);
  return { executablePath, args: sparticuz.args };
}
