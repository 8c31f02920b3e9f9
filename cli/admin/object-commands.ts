import { createReadStream, createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { encryptionConfig } from '../../adapters/encryption/config.ts';
import { createSecretCipher } from '../../adapters/encryption/secret-cipher.ts';
import { s3Config } from '../../adapters/object-store/config.ts';
import { ObjectNotFound, type ObjectStore } from '../../adapters/object-store/object-store.ts';
import { createS3ObjectStore } from '../../adapters/object-store/s3-object-store.ts';
import { outboundConfig } from '../../adapters/outbound/config.ts';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import { isErrno } from '../../dev/processes/json-file.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { inBatches } from '../../services/audit/invariant.ts';
import { removeReferenced } from '../../services/audit/objects.ts';
import { createTenantStores } from '../../services/storage/tenant-stores.ts';
import { createObjectWriter } from '../../services/uploads/streaming/object-writer.ts';
import { createPartBuffers, type PartBuffers } from '../../services/uploads/streaming/part-buffers.ts';
import { UsageError } from '../shared/usage-error.ts';
import type { Command } from './command.ts';

/** Prefix of every object that rows refer to. */
const ALL = 'tenants/';
const AT_ONCE = 8;
const REPORT_EVERY = 1000;
/** One line for each object in the folder; of two for one key the later counts. */
const INVENTORY = 'objects.jsonl';

/** An object in the folder, at the path of its key. */
interface KeptObject {
  key: string;
  sizeBytes: number;
  contentType: string;
  /** When the store received it, ISO 8601. */
  lastModified: string;
}

export const OBJECT_COMMANDS: Record<string, Command> = {
  'copy-objects': {
    usage: 'FOLDER',
    does: `copies to FOLDER what the service's own bucket has and FOLDER lacks; removes nothing there, so that it serves
every backup of the database that is older than the copy; safe to interrupt and to repeat`,
    operands: 1,
    run: async ([folder = ''], _flags, env) => {
      const store = createS3ObjectStore(readConfig([s3Config], env));
      const kept = readInventory(folder);
      let [copied, bytes] = [0, 0];
      for await (const batch of inBatches(store.list(ALL), AT_ONCE)) {
        const missing = batch.filter(({ key, sizeBytes, lastModified }) => {
          const known = kept.get(key);
          return known?.sizeBytes !== sizeBytes || known.lastModified !== lastModified.toISOString();
        });
        const objects = await Promise.all(missing.map((object) => copyObject(store, folder, object)));
        const stored = objects.filter((object) => object !== undefined);
        await appendInventory(folder, stored);
        copied += stored.length;
        for (const { sizeBytes } of stored) bytes += sizeBytes;
        if (stored.length > 0 && copied % REPORT_EVERY < AT_ONCE)
          console.log(`${copied} objects copied so far.`);
      }
      console.log(`Copied ${copied} objects, ${megabytes(bytes)}; ${kept.size} were there before.`);
      return 0;
    },
  },
  'restore-objects': {
    usage: 'FOLDER',
    does: `stores the objects of FOLDER that rows of the database refer to and the service's own bucket lacks; names variants,
key frames and screenshots that neither has. Stop the API and the workers before`,
    operands: 1,
    run: async ([folder = ''], _flags, env) => {
      const kept = readInventory(folder);
      if (kept.size === 0) throw new UsageError(`${folder} has no copies of objects.`);
      const config = readConfig([s3Config, databaseConfig, encryptionConfig, outboundConfig], env);
      const main = createS3ObjectStore(config);
      const orm = createOrm(config);
      try {
        await main.ensureBucket();
        for await (const { key } of main.list(ALL)) kept.delete(key);
        const unreferenced = new Set(kept.keys());
        const objects = createTenantStores({
          orm,
          main,
          cipher: createSecretCipher(config),
          guard: config.OUTBOUND_ALLOWED_NETWORKS,
        });
        let lost = 0;
        for await (const line of removeReferenced({ em: () => orm.em.fork(), objects }, unreferenced)) {
          lost += 1;
          console.error(line);
        }
        for (const key of unreferenced) kept.delete(key);
        const buffers = createPartBuffers(AT_ONCE);
        let restored = 0;
        for await (const batch of inBatches(kept.values(), AT_ONCE)) {
          await Promise.all(batch.map((object) => restoreObject(main, buffers, folder, object)));
          restored += batch.length;
          if (restored % REPORT_EVERY < AT_ONCE) console.log(`${restored} objects restored so far.`);
        }
        console.log(
          `Restored ${restored} objects; ${unreferenced.size} of ${folder} have no row, ${lost} have no copy.`,
        );
        return lost === 0 ? 0 : 1;
      } finally {
        await orm.close(true);
      }
    },
  },
};

/** Returns what was stored; undefined if the object was removed in the meantime. */
async function copyObject(
  store: ObjectStore,
  folder: string,
  { key, lastModified }: { key: string; lastModified: Date },
): Promise<KeptObject | undefined> {
  const path = join(folder, key);
  const draft = `${path}.draft`;
  try {
    const found = await store.stat(key);
    if (!found) return undefined;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    await pipeline(await store.open(key), createWriteStream(draft, { mode: 0o600, flush: true }));
    const { size } = await stat(draft);
    if (size !== found.sizeBytes) throw new UsageError(`${key} changed while it was copied: run it again.`);
    await rename(draft, path);
    return { key, sizeBytes: size, contentType: found.contentType, lastModified: lastModified.toISOString() };
  } catch (error) {
    await rm(draft, { force: true });
    if (error instanceof ObjectNotFound) return undefined;
    throw isErrno(error, 'ENOSPC', 'EDQUOT', 'EACCES', 'EROFS')
      ? new UsageError(`Cannot write to ${folder}: ${(error as Error).message}`, { cause: error })
      : error;
  }
}

async function restoreObject(
  store: ObjectStore,
  buffers: PartBuffers,
  folder: string,
  { key, contentType }: KeptObject,
): Promise<void> {
  const writer = createObjectWriter({ objects: store, buffers, key, contentType });
  try {
    for await (const bytes of createReadStream(join(folder, key))) await writer.write(bytes as Buffer);
    await writer.finish();
  } catch (error) {
    await writer.undo();
    throw error;
  }
}

/** The objects in a folder by key. A line that a crash truncated is ignored: its object is copied again. */
function readInventory(folder: string): Map<string, KeptObject> {
  let text = '';
  try {
    text = readFileSync(join(folder, INVENTORY), 'utf8');
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error;
  }
  const kept = new Map<string, KeptObject>();
  for (const line of text.split('\n')) {
    try {
      const object = JSON.parse(line) as KeptObject;
      kept.set(object.key, object);
    } catch {
      continue;
    }
  }
  return kept;
}

async function appendInventory(folder: string, objects: readonly KeptObject[]): Promise<void> {
  if (objects.length === 0) return;
  const inventory = await open(join(folder, INVENTORY), 'a', 0o600);
  try {
    // A crash may have left a line without its end.
    await inventory.appendFile(objects.map((object) => `\n${JSON.stringify(object)}`).join(''));
    await inventory.datasync();
  } finally {
    await inventory.close();
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
