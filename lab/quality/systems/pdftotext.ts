import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unpackDebian, withDependencies } from './debian-packages.ts';
import type { System } from './system.ts';

const run = promisify(execFile);

/** Poppler's `pdftotext -layout`: from PATH, else from Debian packages; undefined if neither is available. */
export async function findPdftotext(given: NodeJS.ProcessEnv): Promise<System | undefined> {
  const found = (await tryOut('pdftotext', given)) ?? (await fromDebian(given).catch(() => undefined));
  if (!found) return undefined;
  const { version, program, env } = found;
  const read = async (path: string): Promise<string> =>
    (await run(program, ['-layout', path, '-'], { maxBuffer: 2 ** 28, env })).stdout;
  return {
    name: `pdftotext ${version}`,
    extract: async ({ type }, path) =>
      type === 'pdf' ? { text: await read(path), headings: [], tables: [] } : undefined,
    close: async () => undefined,
  };
}

async function fromDebian(given: NodeJS.ProcessEnv) {
  const root = await unpackDebian('poppler', await withDependencies('poppler-utils'));
  const libraries = join(root, 'usr', 'lib');
  const folders = (await readdir(libraries)).map((folder) => join(libraries, folder));
  return tryOut(join(root, 'usr', 'bin', 'pdftotext'), {
    ...given,
    LD_LIBRARY_PATH: [libraries, ...folders].join(':'),
  });
}

async function tryOut(program: string, env: NodeJS.ProcessEnv) {
  const version = await run(program, ['-v'], { env }).then(
    ({ stderr }) => /version (\S+)/.exec(stderr)?.[1],
    () => undefined,
  );
  return version === undefined ? undefined : { version, program, env };
}
