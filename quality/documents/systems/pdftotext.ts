import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { System } from './system.ts';

const run = promisify(execFile);

/** `pdftotext -layout` of Poppler, if it is on the PATH. */
export async function findPdftotext(): Promise<System | undefined> {
  const version = await run('pdftotext', ['-v']).then(
    ({ stderr }) => /version (\S+)/.exec(stderr)?.[1],
    () => undefined,
  );
  if (version === undefined) return undefined;
  return {
    name: `pdftotext ${version}`,
    async extract({ type }, path) {
      if (type !== 'pdf') return undefined;
      const { stdout } = await run('pdftotext', ['-layout', path, '-'], { maxBuffer: 2 ** 28 });
      return { text: stdout, headings: [], tables: [] };
    },
    close: async () => undefined,
  };
}
