import { existsSync, globSync, readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findUnused } from '../../dev/image/unused-files.ts';
import { PROJECT_ROOT } from '../../dev/project-root.ts';

/** `node test/support/load-packages.ts`: loads what the service imports from packages, and prints what is not in its image. */
const PACKAGES = join(PROJECT_ROOT, 'node_modules');
const CODE =
  '{activities,adapters,api,cli,db,domain,engines,packages,services,temporal,worker,workflows}/**/*.ts';
const SPECIFIER = /\b(from |import\(|require\(|url\)\()'((?:@[a-z][^/']*\/)?[a-z][^'/:]*)(\/[^':]*)?'/g;

/** Packages of each way to load one: where these are missing, this finds nothing. */
const SOME = ['@temporalio/worker', 'docx', 'jschardet', 'koffi', 'minio'];

const unused = new Set(findUnused(PACKAGES));
/** Also of a file in a folder that is removed. */
function isUnused(path: string): boolean {
  const parts = path.split('/');
  return parts.some((_, at) => unused.has(parts.slice(0, at + 1).join('/')));
}

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    if (!found.url.startsWith('file:')) return found;
    const path = relative(PACKAGES, fileURLToPath(found.url));
    if (isUnused(path)) console.log(path);
    return found;
  },
});

const require = createRequire(import.meta.url);
const code = globSync(CODE, { cwd: PROJECT_ROOT, exclude: ['**/node_modules'] });
const written = code.flatMap((path) => {
  const text = readFileSync(join(PROJECT_ROOT, path), 'utf8').replaceAll(/^import type [^;]*;/gm, '');
  return Array.from(text.matchAll(SPECIFIER), ([, by = '', name = '', rest = '']) => ({
    by,
    name,
    specifier: name + rest,
  }));
});
const loaded = new Set<string>();
for (const { by, name, specifier } of written) {
  // Words of other texts are no packages.
  if (isUnused(name) || !existsSync(join(PACKAGES, name))) continue;
  const isImport = by === 'from ' || by === 'import(';
  try {
    await (isImport ? import(specifier) : require(specifier));
    loaded.add(name);
  } catch (error) {
    console.log(`${specifier}: ${String(error)}`);
  }
}
for (const name of SOME) if (!loaded.has(name)) console.log(`${name} is not loaded`);
process.exit();
