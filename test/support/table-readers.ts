import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../../cli/shared/usage-error.ts';
import { installPython } from '../../lab/shared/virtual-environment.ts';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const INSTALLED_WITHIN_MS = 180_000;

/** A table as a third-party program reads it. */
export interface ReadTable {
  /** Name of the sheet, or heading of the document. */
  sheet?: string;
  rows: (string | number | null)[][];
  /** Number of cells that are formulas. */
  formulas?: number;
}

/**
 * Opens readers of tables: the csv module of Python, openpyxl and python-docx.
 *
 * @returns undefined, after a message on stderr, if they are not installed and cannot be
 */
export async function openTableReaders(): Promise<
  ((format: string, bytes: Uint8Array) => ReadTable) | undefined
> {
  try {
    const folder = await installPython(
      {
        name: 'table-readers',
        requirements: here('table-readers.txt'),
        proof: ['bin/python', '-c', 'import openpyxl, docx'],
      },
      AbortSignal.timeout(INSTALLED_WITHIN_MS),
    );
    return (format, bytes) => {
      const place = mkdtempSync(join(tmpdir(), 'darkroom-table-'));
      try {
        const path = join(place, `table.${format}`);
        writeFileSync(path, bytes);
        const python = join(folder, 'bin', 'python');
        const output = execFileSync(python, [here('table-readers.py')], { input: `${path}\n` });
        return JSON.parse(output.toString()) as ReadTable;
      } finally {
        rmSync(place, { recursive: true });
      }
    };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`NOT TESTED: exports opened by other programs. ${error.message}`);
    return undefined;
  }
}
