import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { s3Config } from '../../../adapters/object-store/config.ts';
import { vectorConfig } from '../../../adapters/vector-index/config.ts';
import { explainError, type Area } from '../run-checks.ts';

const GIB = 2 ** 30;
const LEAST_SHARE = 0.05;
const LEAST_BYTES = GIB;
const REMEDY = 'free some space, or move the data to a larger disk';

/** Checks the free space on the disks of this machine that hold data. */
export const diskSpace: Area = {
  name: 'Disk space',
  slices: [],
  async check(env, report) {
    const [store, vectors] = [s3Config.shape.S3_DATA_FOLDER, vectorConfig.shape.LANCEDB_PATH];
    const folders = {
      'object store': store.safeParse(env['S3_DATA_FOLDER'] || undefined).data,
      vectors: vectors.safeParse(env['LANCEDB_PATH'] || undefined).data,
      'temporary files': tmpdir(),
    };
    for (const [name, folder] of Object.entries(folders)) {
      if (folder === undefined) continue;
      try {
        const { bavail, blocks, bsize } = await statfs(folder);
        const free = `${((bavail * bsize) / GIB).toFixed(1)} GiB free (${Math.round((bavail / blocks) * 100)} %)`;
        if (bavail < blocks * LEAST_SHARE || bavail * bsize < LEAST_BYTES) report.warn(name, free, REMEDY);
        else report.ok(name, free);
      } catch (error) {
        report.warn(name, explainError(error), `check the folder ${folder}`);
      }
    }
  },
  remedy: () => REMEDY,
};
