import { join } from 'node:path';
import { findOnPath } from '../../dev/servers/binaries.ts';
import { unpackDebian } from '../../lab/quality/systems/debian-packages.ts';

/**
 * The folder of `prometheus` and `promtool`, which no registry has: from PATH, or from Debian's package.
 *
 * @returns `missing` says why a test has to be skipped
 */
export async function findPrometheus(): Promise<{ folder: string; missing: string | false }> {
  const onPath = await findOnPath('promtool', process.env);
  if (onPath !== undefined) return { folder: join(onPath, '..'), missing: false };
  try {
    return { folder: join(await unpackDebian('prometheus', ['prometheus']), 'usr/bin'), missing: false };
  } catch {
    return { folder: '', missing: 'prometheus is neither on PATH nor available from apt' };
  }
}
