import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Json } from './api.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const GENERATOR = join(ROOT, 'test/client/generator');
const CACHE = join(ROOT, '.cache');

/** A generated client in a temporary folder, with a program that imports it as `./api.ts`. */
export interface GeneratedClient {
  /** The compiler errors of both; empty if there are none. */
  compilerErrors(): string;
  loadClient(): Promise<Json>;
  loadProgram(): Promise<Json>;
  remove(): void;
}

/**
 * Generates a client from an OpenAPI document.
 *
 * @param program path of the program to copy next to it, relative to the project
 */
export async function generateClient(document: Json, program: string): Promise<GeneratedClient> {
  const folder = mkdtempSync(join(tmpdir(), 'darkroom-client-'));
  const generator = await loadGenerator();
  const { files } = await generator.generateApi({
    spec: document,
    output: false,
    fileName: 'api.ts',
    enumStyle: 'union',
    silent: true,
  });
  const [client] = files;
  assert.ok(client && files.length === 1, 'the generator must return one file');
  // The generator excludes its output from type checks.
  writeFileSync(join(folder, 'api.ts'), client.fileContent.replace('// @ts-nocheck', ''));
  copyFileSync(join(ROOT, program), join(folder, basename(program)));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: {
        lib: ['es2024', 'dom', 'dom.iterable'],
        types: [],
        // The generated code does not satisfy these options.
        exactOptionalPropertyTypes: false,
        noUncheckedIndexedAccess: true,
        noUnusedParameters: false,
        noUnusedLocals: false,
      },
      include: ['*.ts'],
    }),
  );
  const load = (name: string): Promise<Json> => import(pathToFileURL(join(folder, name)).href);
  return {
    compilerErrors() {
      try {
        execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' });
        return '';
      } catch (error) {
        return (error as { stdout?: string }).stdout ?? String(error);
      }
    },
    loadClient: () => load('api.ts'),
    loadProgram: () => load(basename(program)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

interface Generator {
  generateApi(options: {
    spec: Json;
    output: false;
    fileName: string;
    enumStyle: 'union';
    silent: boolean;
  }): Promise<{ files: { fileContent: string }[] }>;
}

/** The generator, which is installed in the cache once for each version of its packages. */
async function loadGenerator(): Promise<Generator> {
  const lock = readFileSync(join(GENERATOR, 'package-lock.json'));
  const folder = join(
    CACHE,
    `client-generator-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`,
  );
  if (!existsSync(folder)) {
    mkdirSync(CACHE, { recursive: true });
    const fresh = mkdtempSync(join(CACHE, 'client-generator-'));
    for (const name of ['package.json', 'package-lock.json']) {
      copyFileSync(join(GENERATOR, name), join(fresh, name));
    }
    execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: fresh, stdio: 'pipe' });
    try {
      renameSync(fresh, folder);
    } catch {
      // Another process was faster.
      rmSync(fresh, { recursive: true });
    }
  }
  const path = createRequire(join(folder, 'package.json')).resolve('swagger-typescript-api');
  return (await import(pathToFileURL(path).href)) as Generator;
}
