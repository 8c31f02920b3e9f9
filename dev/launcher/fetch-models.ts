import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findModel, MODELS } from '../../engines/models/catalogue.ts';
import { modelsFolder } from '../../engines/onnx/config.ts';
import { runTask } from '../processes/program.ts';
import { PROJECT_ROOT } from '../project-root.ts';
import type { BringUp, PartEvent } from './bring-up.ts';

const COUNT_EVERY_MS = 500;
const PART = 'Models, once';

/**
 * Fetches the models that are missing, beside everything else: the apps use each as soon as it is there, and do without
 * until then. Failures are shown and change nothing.
 */
export async function fetchModelsMeanwhile(
  { env, home, signal }: BringUp,
  onPart: (event: PartEvent) => void,
): Promise<void> {
  const folder = modelsFolder({ MODELS_DIR: env['MODELS_DIR'], MODEL_FOLDER: env['MODEL_FOLDER'] });
  const count = () => MODELS.filter(({ name }) => findModel(name, { MODELS_DIR: folder })).length;
  const show = (state: PartEvent['state'], more = '') =>
    onPart({ title: PART, state, detail: `${count()} of ${MODELS.length}${more}` });
  if (count() === MODELS.length) return;
  show('begun');
  const ended = new AbortController();
  const counting = (async () => {
    for (;;) {
      await delay(COUNT_EVERY_MS, undefined, { signal: ended.signal, ref: false });
      show('begun');
    }
  })().catch(() => undefined);
  const program = [process.execPath, join('cli', 'models', 'main.ts'), '--folder', folder];
  const plan = { command: 'nice', args: ['-n', '10', ...program], env, cwd: PROJECT_ROOT };
  try {
    await runTask('Fetching models', { ...plan, logFile: home.log('models') }, signal);
    show('done');
  } catch {
    if (signal.aborted) onPart({ title: PART, state: 'dropped' });
    else show('failed', `; without the others, less is seen and understood: ${home.log('models')} says why`);
  } finally {
    ended.abort();
    await counting;
  }
}
