import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';

/** Where models of a hub come from, and where those and the models of the service itself are kept. */
export const onnxConfig = z.object({
  MODEL_HUB_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' })
    .default('https://huggingface.co')
    .describe('hub that models are fetched from, or a mirror of it; used only for a model named by its id'),
  MODELS_DIR: z.string().optional().meta({
    description: 'folder that fetched models are kept in; it may be filled beforehand',
    shownDefault: '`~/.cache/darkroom/models`',
  }),
  MODEL_FOLDER: z.string().optional().describe('earlier name of `MODELS_DIR`'),
});
export type OnnxConfig = z.output<typeof onnxConfig>;

/** The folder that fetched models are kept in. */
export function modelsFolder({ MODELS_DIR: folder, MODEL_FOLDER: earlier }: Partial<OnnxConfig>): string {
  return resolve(folder ?? earlier ?? join(homedir(), '.cache', 'darkroom', 'models'));
}

/** A model in a folder of this machine, or at a commit of a repository of the hub. */
export type ModelSource = { folder: string } | { repository: string; commit: string };

const LOCAL = 'local:';
const FOLDER = /^(\/|\.{1,2}\/)/;
const AT_COMMIT = /^([\w.-]+\/[\w.-]+)@([0-9a-f]{40})$/;

/** Whether a setting names a model that runs in this process. */
export const isLocalModel = (setting: string): boolean => setting.startsWith(LOCAL);

/**
 * A setting such as `local:/models/e5` or `local:org/name@commit`, as a source. The commit pins the content of every
 * file, so that all processes load the same model, today and after an update of the repository.
 *
 * @throws Error that says what is wrong with the setting
 */
export function readModelSource(setting: string): ModelSource {
  const named = isLocalModel(setting) ? setting.slice(LOCAL.length) : '';
  if (FOLDER.test(named)) return { folder: named };
  const [, repository, commit] = AT_COMMIT.exec(named) ?? [];
  if (repository !== undefined && commit !== undefined) return { repository, commit };
  throw new Error(
    'must be local:/path/of/a/folder, or local:ORGANISATION/NAME@COMMIT with the 40 hexadecimal digits of a commit of that repository of the hub',
  );
}

/** A setting that names a model as {@link readModelSource} reads it; its value stays the text. */
export function localModelSetting() {
  return z.string().superRefine((setting, context) => {
    try {
      readModelSource(setting);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
    }
  });
}
