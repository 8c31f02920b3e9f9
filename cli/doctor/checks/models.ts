import { missingModels, MODELS } from '../../../engines/models/catalogue.ts';
import { findDamage } from '../../../engines/models/fetch-models.ts';
import { modelsFolder, onnxConfig } from '../../../engines/onnx/config.ts';
import { hasRuntime } from '../../../engines/onnx/load.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import type { Area } from '../run-checks.ts';

/** Checks which of the service's own models are there and whole, and whether this machine can run them. */
export const models: Area = {
  name: 'Models',
  slices: [onnxConfig],
  async check(env, report) {
    const config = readConfig([onnxConfig], env);
    const folder = modelsFolder(config);
    if (!hasRuntime()) {
      const without =
        'onnxruntime-node has no build for this machine: text is read by Tesseract, images are measured';
      report.warn('models', without, 'use Linux with glibc, Windows, or a Mac with Apple silicon');
      return;
    }
    const missing = missingModels(config);
    const there = MODELS.filter((model) => !missing.includes(model));
    if (there.length > 0) report.ok('models', there.map(({ name }) => name).join(', '));
    for (const { name, purpose } of missing)
      report.warn(
        name,
        `missing, needed to ${purpose}`,
        `run npm run models, or copy ${folder} of a machine that has it`,
      );
    for (const path of await findDamage(config))
      report.warn('files', `${path} is damaged`, 'remove its folder, then run npm run models');
  },
  remedy: () => 'name a readable folder in MODELS_DIR',
};
