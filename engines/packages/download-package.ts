import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** An archive of a package, pinned by version and by the SHA-256 of its file. */
export interface PinnedPackage {
  registry: 'npm' | 'pypi';
  name: string;
  version: string;
  sha256: string;
}

export interface DownloadOptions {
  env?: Record<string, string | undefined>;
  signal: AbortSignal;
}

/** A package could not be fetched; the message gives the reason in one line. */
export class PackageUnavailable extends Error {
  override readonly name = 'PackageUnavailable';
}

/** Extracts members of an archive. Python is there, because pip is. */
const EXTRACT = `
import sys, tarfile, zipfile
archive, folder, *members = sys.argv[1:]
opened = tarfile.open(archive) if archive.endswith('.tgz') else zipfile.ZipFile(archive)
for member in members: opened.extract(member, folder)`;

/**
 * Downloads an archive with the client of its registry, which installs and runs nothing of it, and checks its hash.
 *
 * @param folder of this download alone
 * @param python the version whose wheel to take, by default that of the Python on PATH
 * @returns the path of the archive
 * @throws PackageUnavailable, or the reason of the signal
 */
export async function downloadPackage(
  { registry, name, version, sha256 }: PinnedPackage,
  folder: string,
  { python, ...options }: DownloadOptions & { python?: string },
): Promise<string> {
  return explained(options.signal, async () => {
    if (registry === 'npm') {
      const pack = ['pack', `${name}@${version}`, '--ignore-scripts', '--pack-destination', folder];
      await run('npm', pack, { ...options, cwd: folder });
    } else {
      const requirements = join(folder, 'requirements.txt');
      await writeFile(requirements, `${name}==${version} --hash=sha256:${sha256}\n`);
      const pip = ['-m', 'pip', '--disable-pip-version-check', '--quiet', 'download', '--no-deps'];
      const checks = ['--only-binary=:all:', '--require-hashes', '--dest', folder, '-r', requirements];
      const chosen = python === undefined ? [] : ['--python-version', python];
      await run('python3', [...pip, ...checks, ...chosen], options);
    }
    const [file] = (await readdir(folder)).filter((found) => /\.(?:whl|tgz)$/.test(found));
    if (file === undefined) throw new PackageUnavailable('the client of the registry downloaded no archive');
    const archive = join(folder, file);
    if ((await sha256Of(archive)) !== sha256)
      throw new PackageUnavailable(`${name} ${version} does not have its pinned SHA-256`);
    return archive;
  });
}

/** Extracts members of a zip or a tgz below a folder. @throws PackageUnavailable, or the reason of the signal */
export async function extractMembers(
  archive: string,
  members: readonly string[],
  folder: string,
  options: DownloadOptions,
): Promise<void> {
  await explained(options.signal, () =>
    run('python3', ['-c', EXTRACT, archive, folder, ...members], { ...options }),
  );
}

/** In hexadecimal digits. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

async function explained<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof PackageUnavailable) throw error;
    throw new PackageUnavailable(reason(error), { cause: error });
  }
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const missing = /spawn (\S+) ENOENT/.exec(error.message)?.[1];
  if (missing !== undefined) return `${missing} is not on PATH`;
  const stderr = 'stderr' in error ? String(error.stderr).trim() : '';
  const lines = (stderr === '' ? error.message : stderr).split('\n');
  return (
    lines.findLast((line) => /^(?:ERROR:|npm error(?! A complete log))/.test(line)) ??
    lines.at(-1) ??
    error.message
  );
}
