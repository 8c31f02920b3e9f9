import { createHash } from 'node:crypto';
import { globSync, readFileSync, rmSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from './project-root.ts';

/** Everything that the built console depends on. */
const SOURCES = ['console/**/*.*', 'sdk/src/*.ts', 'package-lock.json'];
const FOLDER = join(PROJECT_ROOT, 'dist', 'console');
/** Holds the hash of the sources of the build beside it. */
const STAMP = 'sources.sha256';

/**
 * `node dev/build-console.ts`: builds the console into `dist/console`, from where the API serves it, unless its sources
 * have not changed. Safe to run from several processes at once.
 */
const hash = hashSources();
if (readStamp() !== hash) {
  // Loaded lazily: a current build needs none of it.
  const { build } = await import('vite');
  const unfinished = `${FOLDER}.${process.pid}`;
  await build({
    configFile: join(PROJECT_ROOT, 'console', 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: unfinished },
  });
  writeFileSync(join(unfinished, STAMP), hash);
  replaceFolder(unfinished);
}
console.log(FOLDER);

function hashSources(): string {
  const hash = createHash('sha256');
  const files = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: PROJECT_ROOT, exclude: isInstalled }));
  for (const file of files.toSorted()) {
    hash.update(`\0${file}\0`).update(readFileSync(join(PROJECT_ROOT, file)));
  }
  return hash.digest('hex');
}

function isInstalled(path: string): boolean {
  return path.includes('node_modules');
}

function readStamp(): string | undefined {
  try {
    return readFileSync(join(FOLDER, STAMP), 'utf8');
  } catch {
    return undefined;
  }
}

/** A folder cannot replace another in one step, so a process that has lost the race drops its own, equal build. */
function replaceFolder(unfinished: string): void {
  const former = `${unfinished}.former`;
  try {
    renameSync(FOLDER, former);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  try {
    renameSync(unfinished, FOLDER);
  } catch (error) {
    if (readStamp() !== hash) throw error;
    rmSync(unfinished, { recursive: true });
  }
  rmSync(former, { recursive: true, force: true });
}
