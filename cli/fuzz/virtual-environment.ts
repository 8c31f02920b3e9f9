import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import { CannotBegin } from '../shared/cannot-begin.ts';

const run = promisify(execFile);
const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url));

/**
 * Schemathesis in a virtual environment of its own below the project's cache, which is made once for each version of
 * the requirements.
 *
 * @returns the path of its program
 * @throws CannotBegin when Python or PyPI is not available
 */
export async function installSchemathesis(signal: AbortSignal): Promise<string> {
  const version = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 12);
  const folder = join(PROJECT_ROOT, '.cache', `schemathesis-${version}`);
  const done = join(folder, 'complete');
  const program = join(folder, 'bin', 'schemathesis');
  if (existsSync(done)) return program;
  try {
    // Scripts name the interpreter by its path, so the folder is made in place.
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await run('python3', ['-m', 'venv', folder], { signal });
    const pip = ['-m', 'pip', '--disable-pip-version-check', '--quiet', 'install'];
    await run(join(folder, 'bin', 'python'), [...pip, '--no-deps', '-r', REQUIREMENTS], { signal });
    await run(program, ['--version'], { signal });
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof Error ? error.message.split('\n').at(-2) : String(error);
    throw new CannotBegin(`Cannot install Schemathesis with python3 -m venv and pip: ${why}.`);
  }
  await mkdir(done);
  return program;
}
