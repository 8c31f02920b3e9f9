import { join } from 'node:path';
import { missingModels, MODELS } from '../../engines/models/catalogue.ts';
import { modelsFolder } from '../../engines/onnx/config.ts';
import { runTask } from '../processes/program.ts';
import { PROJECT_ROOT } from '../project-root.ts';
import type { BringUp, PartEvent } from './bring-up.ts';

const PART = 'Models, once';
/** They take half a minute of a core, which whatever a user waits for gets first. */
const NICENESS = '19';

/**
 * Fetches the models that are missing, while the stack runs: the apps use each as soon as it is there, and do without until
 * then. Failures are shown and change nothing.
 *
 * @returns whether all of them came
 */
export async function fetchMissingModels(
  { env, home, signal }: BringUp,
  { onPart, onNotice }: { onPart: (event: PartEvent) => void; onNotice: (line: string) => void },
): Promise<boolean> {
  const folder = modelsFolder({ MODELS_DIR: env['MODELS_DIR'], MODEL_FOLDER: env['MODEL_FOLDER'] });
  const missing = () => missingModels({ MODELS_DIR: folder }).length;
  const show = (state: PartEvent['state'], more = '') =>
    onPart({ title: PART, state, detail: `${MODELS.length - missing()} of ${MODELS.length}${more}` });
  if (missing() === 0) return false;
  onNotice(
    `Fetching ${missing()} models in the background; files that come before have less read and seen in them.`,
  );
  show('begun');
  const program = [process.execPath, join('cli', 'models', 'main.ts'), '--folder', folder];
  const plan = { command: 'nice', args: ['-n', NICENESS, ...program], env, cwd: PROJECT_ROOT };
  try {
    await runTask('Fetching models', { ...plan, logFile: home.log('models') }, signal);
    show('done');
    return true;
  } catch {
    if (signal.aborted) onPart({ title: PART, state: 'dropped' });
    else show('failed', `; without the others, less is seen and understood: ${home.log('models')} says why`);
    return false;
  }
}
