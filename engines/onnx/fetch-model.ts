import { createHash, randomUUID, type Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { access, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { modelsFolder, type OnnxConfig } from './config.ts';
import { neededFiles } from './model-files.ts';

/** The list of a repository's files. Large files have a SHA-256, the others the id of their git object. */
const listing = z.object({
  sha: z.string(),
  siblings: z.array(
    z.object({
      rfilename: z.string(),
      size: z.int().min(0),
      blobId: z.string(),
      lfs: z.object({ sha256: z.string() }).nullish(),
    }),
  ),
});
type Sibling = z.output<typeof listing>['siblings'][number];

const LIST_WITHIN_MS = 30_000;
/** A model of 4 GB at 2 MB a second. */
const FILE_WITHIN_MS = 2_000_000;
const MAX_BYTES = 4 * 1024 ** 3;
/** A fetch touches its folder before each file. The rest is for clocks that differ, as on a shared disk. */
const ABANDONED_AFTER_MS = 2 * FILE_WITHIN_MS;
/** A folder that is being fetched, or was when its process was killed. */
const PARTIAL = /@[0-9a-f]{40}\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Fetches the needed files of a model at a commit, once: a folder that is there is complete, since it is renamed only
 * after every file had the size and the hash that the hub lists for it. Also removes what killed fetches left.
 *
 * @returns its folder
 */
export async function fetchModel(
  { repository, commit }: { repository: string; commit: string },
  parts: readonly string[],
  config: OnnxConfig,
): Promise<string> {
  const { MODEL_HUB_URL: url } = config;
  const kept = modelsFolder(config);
  const folder = join(kept, `${repository.replace('/', '--')}@${commit}`);
  // Tidying must not keep a model from being used, for example in a folder that is read-only.
  await removeAbandoned(kept).catch(() => undefined);
  if (await exists(folder)) return folder;
  const hub = url.endsWith('/') ? url.slice(0, -1) : url;
  const siblings = await list(hub, repository, commit);
  const { files, missing } = neededFiles(parts, new Set(siblings.map(({ rfilename }) => rfilename)));
  if (missing.length > 0) throw new Error(`it has no ${missing.join(', no ')} at ${commit}`);
  const needed = siblings.filter(({ rfilename }) => files.includes(rfilename));
  if (needed.reduce((sum, { size }) => sum + size, 0) > MAX_BYTES) throw new Error('it is larger than 4 GB');

  const partial = `${folder}.${randomUUID()}`;
  await mkdir(partial, { recursive: true });
  try {
    for (const file of needed) {
      const now = new Date();
      // Fails if another process took it for abandoned, as after a long sleep of this machine.
      await utimes(partial, now, now);
      const from = `${hub}/${repository}/resolve/${commit}/${file.rfilename}`;
      await download(from, join(partial, file.rfilename), file);
    }
    await rename(partial, folder).catch(async (error: unknown) => {
      // Another process was faster.
      if (!(await exists(folder))) throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return folder;
}

async function removeAbandoned(kept: string): Promise<void> {
  for (const name of await readdir(kept)) {
    if (!PARTIAL.test(name)) continue;
    const path = join(kept, name);
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > ABANDONED_AFTER_MS) await rm(path, { recursive: true, force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function list(hub: string, repository: string, commit: string): Promise<Sibling[]> {
  const answer = await fetch(`${hub}/api/models/${repository}/revision/${commit}?blobs=true`, {
    signal: AbortSignal.timeout(LIST_WITHIN_MS),
  });
  if (!answer.ok) throw new Error(`the list of its files at ${commit} was answered with ${answer.status}`);
  const { data } = listing.safeParse(await answer.json());
  if (data?.sha !== commit) throw new Error(`the hub did not list its files at ${commit}`);
  return data.siblings;
}

/** @throws Error if size or hash are not those of the list */
async function download(from: string, to: string, { size, lfs, blobId }: Sibling): Promise<void> {
  const answer = await fetch(from, { signal: AbortSignal.timeout(FILE_WITHIN_MS) });
  if (!answer.ok || !answer.body) throw new Error(`${from} was answered with ${answer.status}`);
  await mkdir(dirname(to), { recursive: true });
  // Git hashes the content after a header with its size.
  const hash = lfs ? createHash('sha256') : createHash('sha1').update(`blob ${size}\0`);
  const body = Readable.fromWeb(answer.body);
  await pipeline(body, (chunks: AsyncIterable<Buffer>) => hashed(chunks, hash, size), createWriteStream(to));
  if (hash.digest('hex') !== (lfs?.sha256 ?? blobId))
    throw new Error(`${from} does not have the hash of the list`);
}

async function* hashed(chunks: AsyncIterable<Buffer>, hash: Hash, size: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > size) break;
    hash.update(chunk);
    yield chunk;
  }
  if (bytes !== size) throw new Error(`a file has not the ${size} bytes of the list`);
}
