import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

export interface LanguageData {
  /** A folder that holds `CODE.traineddata.gz` of every language; made when first asked for. */
  folder(): string;
  remove(): void;
}

/**
 * The data of several languages in one folder, where the engine wants it; each comes in a package of its own.
 *
 * @throws Error naming the packages that are not installed
 */
export function findLanguageData(languages: readonly string[]): LanguageData {
  const found = languages.map((code) => ({ code, file: locate(code) }));
  const missing = found.filter(({ file }) => file === undefined).map(({ code }) => code);
  if (missing.length > 0) {
    const packages = missing.map((code) => `@tesseract.js-data/${code}`).join(', ');
    throw new Error(`text recognition in ${missing.join(', ')} needs ${packages}, not installed`);
  }
  let folder: string | undefined;
  return {
    folder() {
      if (folder !== undefined) return folder;
      folder = mkdtempSync(join(tmpdir(), 'darkroom-ocr-'));
      for (const { code, file = '' } of found) symlinkSync(file, join(folder, `${code}.traineddata.gz`));
      return folder;
    },
    remove() {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
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
