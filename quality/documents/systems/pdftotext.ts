import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { splitFixed } from '../retrieval/split-text.ts';
import type { System } from './system.ts';

const run = promisify(execFile);

/** `pdftotext -layout` of Poppler, if it is on the PATH. */
export async function findPdftotext(): Promise<System | undefined> {
  const version = await run('pdftotext', ['-v']).then(
    ({ stderr }) => /version (\S+)/.exec(stderr)?.[1],
    () => undefined,
  );
  if (version === undefined) return undefined;
  const read = async (path: string): Promise<string> =>
    (await run('pdftotext', ['-layout', path, '-'], { maxBuffer: 2 ** 28 })).stdout;
  return {
    name: `pdftotext ${version}`,
    extract: async ({ type }, path) =>
      type === 'pdf' ? { text: await read(path), headings: [], tables: [] } : undefined,
    passages: async ({ type }, path) => (type === 'pdf' ? splitFixed(await read(path)) : undefined),
    close: async () => undefined,
  };
}
