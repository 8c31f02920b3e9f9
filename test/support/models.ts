import { join } from 'node:path';
import { fetchModels } from '../../engines/models/fetch-models.ts';
import { PROJECT_ROOT } from '../../dev/project-root.ts';

/**
 * The folder with the models of the service, which all tests of this checkout share; they are fetched once. Undefined where
 * a registry does not hand them out: the service runs without them there, and tests that need them are skipped.
 */
export async function fetchedModels(): Promise<string | undefined> {
  const folder = join(PROJECT_ROOT, '.cache', 'models');
  const all = await fetchModels(folder, { env: process.env, signal: AbortSignal.timeout(600_000) });
  const failed = all.filter(({ outcome }) => outcome === 'failed');
  const wrong = failed.filter(({ reason = '' }) => reason.includes('SHA-256'));
  if (wrong.length > 0) throw new Error(wrong.map(({ reason }) => reason).join('\n'));
  for (const { model, reason } of failed) console.error(`${model.name} cannot be fetched: ${reason}`);
  return failed.length === 0 ? folder : undefined;
}
