import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import sparticuz from '@sparticuz/chromium';

/** A browser of this machine, else the one that the package brings, which any user of the machine may run. */
export async function findChromium(): Promise<{ executablePath: string; args: string[] }> {
  for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
    try {
      const path = execFileSync('which', [name], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim();
      return { executablePath: path, args: ['--no-sandbox'] };
    } catch {
      // Not this one.
    }
  }
  const executablePath = await sparticuz.executablePath();
  chmodSync(executablePath, 0o755);
  return { executablePath, args: sparticuz.args };
}
