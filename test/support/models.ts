import { fetchModels } from '../../engines/models/fetch-models.ts';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import { join } from 'node:path';

/** The folder with the models of the service, which all tests of this checkout share; they are fetched once. */
export async function fetchedModels(): Promise<string> {
  const folder = join(PROJECT_ROOT, '.cache', 'models');
  const all = await fetchModels(folder, { env: process.env, signal: AbortSignal.timeout(600_000) });
  const failed = all.filter(({ outcome }) => outcome === 'failed');
  if (failed.length > 0)
    throw new Error(failed.map(({ model, reason }) => `${model.name}: ${reason}`).join('\n'));
  return folder;
}
