import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir, userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/**
 * Links the data of several languages, each from its own package, into the one folder that the engine expects.
 *
 * @returns a function that returns the folder with `CODE.traineddata.gz` of every language
 * @throws Error naming the packages that are not installed
 */
export function findLanguageData(languages: readonly string[]): () => string {
  const found = languages.map((code) => ({ code, file: locate(code) }));
  const missing = found.filter(({ file }) => file === undefined).map(({ code }) => code);
  if (missing.length > 0) {
    const packages = missing.map((code) => `@tesseract.js-data/${code}`).join(', ');
    throw new Error(
      `text recognition in ${missing.join(', ')} needs ${packages}, which is not installed: add it to package.json`,
    );
  }
  const files = found.flatMap(({ file }) => file ?? []);
  const [only, ...others] = files;
  return () =>
    only !== undefined && others.length === 0 ? dirname(only) : linkFolder('darkroom-ocr', files);
}

function locate(code: string): string | undefined {
  try {
    const folder = dirname(require.resolve(`@tesseract.js-data/${code}/package.json`));
    // The same network as in the other folder, without the data of an engine that is not used.
    const file = join(folder, '4.0.0_best_int', `${code}.traineddata.gz`);
    return existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A temporary folder with links to these files by their names. All processes use the same folder for the same files, so
 * that a killed process leaves nothing that is not reused.
 *
 * @throws Error when another user owns a folder of that name, or it has other content
 */
export function linkFolder(prefix: string, files: readonly string[]): string {
  const { uid } = userInfo();
  const name = createHash('sha256')
    .update(JSON.stringify([uid, files]))
    .digest('hex')
    .slice(0, 16);
  const folder = join(tmpdir(), `${prefix}-${name}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stat = lstatSync(folder);
  if (!stat.isDirectory() || (uid >= 0 && stat.uid !== uid)) throw new Error(`${folder} is not ours`);
  for (const file of files) link(file, join(folder, basename(file)));
  return folder;
}

/** Tolerates another process creating the same link. */
function link(file: string, at: string): void {
  try {
    symlinkSync(file, at);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (readlinkSync(at) !== file) throw new Error(`${at} is not a link to ${file}`, { cause: error });
  }
}
