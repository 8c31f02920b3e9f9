import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';

/** One import or re-export of a module. */
export interface Import {
  /** As in the source text. */
  specifier: string;
  /** Path of the file relative to the project root, if the specifier is relative or a door of the reader. */
  file?: string;
  /** Name of the package, or `node:` and a builtin, if it is not. */
  package?: string;
  /** True if the import is erased at run time. */
  typeOnly: boolean;
  /** True if the module is loaded by an expression, which has no types. */
  isDynamic: boolean;
  isExport: boolean;
}

/** The imports of each module, by its path relative to the project root. */
export type Modules = Map<string, Import[]>;

// Relies on the formatter: statements start a line, and specifiers are in single quotes.
const STATEMENT =
  /^(?<kind>import|export)\s+(?<type>type\s)?[^;'"]*?\bfrom\s+'(?<from>[^']+)'|^import\s+'(?<bare>[^']+)'|\bimport\('(?<dynamic>[^']+)'\)/gms;

/** Parses the imports of sources given as path and text. */
export function readModules(sources: Iterable<[path: string, text: string]>): Modules {
  return new Map(Array.from(sources, ([path, text]) => [path, readImports(path, text)]));
}

function readImports(path: string, text: string): Import[] {
  return Array.from(text.matchAll(STATEMENT), ({ groups = {} }) => {
    const specifier = groups['from'] ?? groups['bare'] ?? groups['dynamic'] ?? '';
    return {
      specifier,
      ...placeOf(path, specifier),
      typeOnly: groups['type'] !== undefined,
      isDynamic: groups['dynamic'] !== undefined,
      isExport: groups['kind'] === 'export',
    };
  });
}

/** The modules that the package of the reader exports, by the specifiers of others. */
const READER = JSON.parse(
  readFileSync(new URL('../../../../packages/reader/package.json', import.meta.url), 'utf8'),
) as { name: string; exports: Record<string, string> };
const DOORS = new Map(
  Object.entries(READER.exports).map(([door, file]) => [
    join(READER.name, door),
    join('packages/reader', file),
  ]),
);

function placeOf(path: string, specifier: string): Pick<Import, 'file' | 'package'> {
  if (specifier.startsWith('.')) return { file: join(dirname(path), specifier) };
  const file = DOORS.get(specifier);
  return file === undefined ? { package: packageOf(specifier) } : { file };
}

function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
