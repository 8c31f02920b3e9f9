import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { readModelSource, type OnnxConfig } from './config.ts';
import { fetchModel } from './fetch-model.ts';
import { neededFiles, type WeightsFile } from './model-files.ts';

/** A model cannot be used as configured. The message is one line that says what to do. */
export class OnnxModelError extends Error {
  override readonly name = 'OnnxModelError';
}

/** The files of a model on this machine; nothing is loaded yet. */
export interface OnnxModel {
  /** Absolute. */
  folder: string;
  /** Last part of the repository or of the folder, for people. */
  name: string;
  weights: readonly WeightsFile[];
  /** SHA-256 of all files that are read, with their paths: a replaced file is another model. */
  sha256: string;
  /** A file of definitions as JSON; undefined if there is none. @throws OnnxModelError if it is no object */
  read(path: string): Promise<Readonly<Record<string, unknown>> | undefined>;
}

/**
 * The model of a setting, fetched from the hub if it is named by its id and not in `MODELS_DIR` yet. The network is
 * used for nothing else.
 *
 * @param parts names of its files with weights: `model` for one encoder, `vision_model` and `text_model` for a pair
 * @throws OnnxModelError for a missing file, or a hub that cannot be reached
 */
export async function openModel(
  setting: string,
  parts: readonly string[],
  config: OnnxConfig,
): Promise<OnnxModel> {
  const source = readModelSource(setting);
  const folder =
    'folder' in source
      ? resolve(source.folder)
      : await fetchModel(source, parts, config).catch((error: unknown) => {
          throw new OnnxModelError(
            `${source.repository} could not be fetched from ${config.MODEL_HUB_URL} (${reasonOf(error)}): ` +
              'without that hub, copy the folder of the model to this machine and set local:/path/of/the/folder',
            { cause: error },
          );
        });
  const name = 'folder' in source ? basename(folder) : basename(source.repository);
  const { weights, files, missing } = neededFiles(parts, await listFiles(folder));
  if (missing.length > 0)
    throw new OnnxModelError(`${folder} has no ${missing.join(', no ')}: name the folder of an ONNX model`);
  return {
    folder,
    name,
    weights,
    sha256: await hashOf(folder, files),
    read: (path) => readDefinition(folder, path),
  };
}

/** The innermost cause of an error, in one line. */
function reasonOf(error: unknown): string {
  let reason = String(error);
  for (let at = error; at instanceof Error; at = at.cause) reason = at.message || reason;
  return reason.replaceAll(/\s+/g, ' ');
}

/** Files of the folder and its folders, with `/` in their paths. */
async function listFiles(folder: string): Promise<ReadonlySet<string>> {
  try {
    const names = await Promise.all(
      ['', 'onnx', '1_Pooling'].map(async (sub) => {
        const entries = await readdir(join(folder, sub)).catch((error: unknown) => {
          if (sub !== '') return [];
          throw error;
        });
        return entries.map((entry) => (sub === '' ? entry : `${sub}/${entry}`));
      }),
    );
    return new Set(names.flat());
  } catch (error) {
    throw new OnnxModelError(
      `${folder} cannot be read (${reasonOf(error)}): check the path, and that this user may read it`,
      { cause: error },
    );
  }
}

async function hashOf(folder: string, files: readonly string[]): Promise<string> {
  const all = createHash('sha256');
  for (const file of files) {
    const one = createHash('sha256');
    await pipeline(createReadStream(join(folder, file)), one);
    all.update(`${file}\0${one.digest('hex')}\n`);
  }
  return all.digest('hex');
}

async function readDefinition(folder: string, path: string): Promise<Record<string, unknown> | undefined> {
  let text: string;
  try {
    text = await readFile(join(folder, path), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // Reported below, like any other value that is no object.
  }
  throw new OnnxModelError(`${join(folder, path)} is not a JSON object: fetch the model again`);
}
