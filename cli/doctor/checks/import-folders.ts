import { sourceFolderConfig } from '../../../adapters/source-folder/config.ts';
import { openSourceFolder } from '../../../adapters/source-folder/source-folder.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { explainError, type Area } from '../run-checks.ts';

const WITHIN_MS = 10_000;
const REMEDY = 'mount it into the workers, or correct IMPORT_FOLDERS; it may be on other machines alone';

/** Checks that this machine can read the folders that files may be imported from. */
export const importFolders: Area = {
  name: 'Folders to import from',
  slices: [sourceFolderConfig],
  async check(env, report) {
    const { IMPORT_FOLDERS: folders } = readConfig([sourceFolderConfig], env);
    if (folders.length === 0) report.ok('folders', 'none: nobody imports from this machine');
    for (const { path, tenantId } of folders) {
      const folder = openSourceFolder([{ path }], { tenantId: 'doctor', path });
      try {
        await folder.probe(AbortSignal.timeout(WITHIN_MS));
        report.ok(path, tenantId === undefined ? 'of every account' : `of the account ${tenantId}`);
      } catch (error) {
        report.warn(path, explainError(error), REMEDY);
      } finally {
        folder.close();
      }
    }
  },
  remedy: () => REMEDY,
};
