import { dirname, join } from 'node:path/posix';

/** One import or re-export of a module. */
export interface Import {
  /** As it is written. */
  specifier: string;
  /** Path of the file from the root of the project, when the specifier is relative. */
  file?: string;
  /** Name of the package, or `node:` and a builtin, when it is not. */
  package?: string;
  /** True when nothing of it is left at run time. */
  typeOnly: boolean;
  isExport: boolean;
}

/** What each module imports, by its path from the root of the project. */
export type Modules = Map<string, Import[]>;

// The formatter leaves statements at the start of a line, and specifiers in single quotes.
const STATEMENT =
  /^(?<kind>import|export)\s+(?<type>type\s)?[^;'"]*?\bfrom\s+'(?<from>[^']+)'|^import\s+'(?<bare>[^']+)'|\bimport\('(?<dynamic>[^']+)'\)/gms;

/** Reads the imports of sources that are given as path and text. */
export function readModules(sources: Iterable<[path: string, text: string]>): Modules {
  return new Map(Array.from(sources, ([path, text]) => [path, readImports(path, text)]));
}

function readImports(path: string, text: string): Import[] {
  return Array.from(text.matchAll(STATEMENT), ({ groups = {} }) => {
    const specifier = groups['from'] ?? groups['bare'] ?? groups['dynamic'] ?? '';
    return {
      specifier,
      ...(specifier.startsWith('.')
        ? { file: join(dirname(path), specifier) }
        : { package: packageOf(specifier) }),
      typeOnly: groups['type'] !== undefined,
      isExport: groups['kind'] === 'export',
    };
  });
}

function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
