import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { linkFolder } from './link-folder.ts';

const require = createRequire(import.meta.url);

/**
 * Puts the data of several languages, each from its own package, into the one folder that the engine expects.
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
    const file = join(folder, '4.0.0', `${code}.traineddata.gz`);
    return existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}
