import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { UsageError } from '../../cli/shared/usage-error.ts';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import { installPython } from '../shared/virtual-environment.ts';

const run = promisify(execFile);
const PYTHON = join(PROJECT_ROOT, 'sdk', 'python');
const read = (path: string) => readFileSync(join(PROJECT_ROOT, path), 'utf8');

/** Where each client and what describes it says its version. */
const VERSIONS: readonly [path: string, pattern: RegExp][] = [
  ['package.json', /^ {2}"version": "([^"]+)"/m],
  ['sdk/package.json', /^ {2}"version": "([^"]+)"/m],
  ['sdk/python/pyproject.toml', /^version = "([^"]+)"/m],
  ['api/openapi.json', /"title":"Darkroom","version":"([^"]+)"/],
  ['CHANGELOG.md', /^## (\d\S*)/m],
];

/**
 * The version of a release, as all its files say.
 *
 * @param textOf reads a file of the project
 * @throws UsageError if they differ
 */
export function releaseVersion(textOf: (path: string) => string = read): string {
  const found = VERSIONS.map(([path, pattern]) => [path, pattern.exec(textOf(path))?.[1] ?? 'none'] as const);
  const [first, ...others] = new Set(found.map(([, version]) => version));
  if (first === undefined || others.length > 0) {
    throw new UsageError(
      `The versions differ: ${found.map(([path, version]) => `${path} ${version}`).join(', ')}.`,
    );
  }
  return first;
}

/** Packs the client for TypeScript, as `npm publish` would. Returns the path of the tarball. */
export async function packTypeScript(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const args = ['pack', '-w', 'sdk', '--silent', '--pack-destination', folder];
  const { stdout } = await run('npm', args, { cwd: PROJECT_ROOT, maxBuffer: 16 * 1024 * 1024 });
  return join(folder, stdout.trim().split('\n').at(-1) ?? '');
}

/** The Python that builds and checks the client for Python. @throws UsageError if Python or PyPI is not available */
export async function pythonTools(signal?: AbortSignal): Promise<string> {
  const requirements = join(PYTHON, 'tools.txt');
  const proof: [string, ...string[]] = ['bin/hatchling', '--help'];
  return join(await installPython({ name: 'python-client', requirements, proof }, signal), 'bin', 'python');
}

/** Builds the client for Python. Returns the paths of the source distribution and of the wheel. */
export async function buildPython(
  folder: string,
  signal?: AbortSignal,
): Promise<[source: string, wheel: string]> {
  const args = ['-m', 'hatchling', 'build', '-t', 'sdist', '-t', 'wheel', '-d', folder];
  await run(await pythonTools(signal), args, { cwd: PYTHON, ...(signal && { signal }) });
  const name = `darkroom_client-${releaseVersion()}`;
  return [join(folder, `${name}.tar.gz`), join(folder, `${name}-py3-none-any.whl`)];
}
