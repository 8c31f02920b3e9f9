import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TextEmbedding } from '../../../adapters/models/text-embedding/text-embedding.ts';
import { vectorConfig } from '../../../adapters/vector-index/config.ts';
import { createVectorIndex } from '../../../adapters/vector-index/create-vector-index.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { DocumentDetails } from '../../../db/entities/documents/document-details.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { PROJECT_ROOT } from '../../../dev/project-root.ts';
import { startDisposableStack } from '../../../dev/launcher/disposable-stack.ts';
import { replaceChunks, toChunks } from '../../../services/documents/chunk-document.ts';
import { chunkCollection, indexDocument } from '../../../services/documents/index-chunks.ts';
import { searchChunks } from '../../../services/documents/search-chunks.ts';
import type { DividedFile } from './passages.ts';

/** The chunks of documents in one tenant of real servers, searched with the real search. */
export interface PassageStore {
  /** @returns the ids of the chunks, in order */
  add(file: DividedFile): Promise<string[]>;
  /** Ids of the hits of Darkroom's search, best first. */
  search(query: string, limit: number): Promise<string[]>;
  /** Ids of the nearest chunks by their vectors alone. */
  near(query: string, limit: number): Promise<string[]>;
  close(): Promise<void>;
}

const run = promisify(execFile);
const TIMEOUT_MS = 30_000;

/** Starts servers with a tenant of their own. @param textEmbedding is not closed with the store */
export async function startPassageStore(
  given: NodeJS.ProcessEnv,
  textEmbedding: TextEmbedding,
  signal: AbortSignal,
): Promise<PassageStore> {
  const stack = await startDisposableStack(given, { apps: false, signal });
  const env = { ...given, ...stack.env };
  await run(process.execPath, [join(PROJECT_ROOT, 'db', 'migrate.ts')], { env, signal });
  const orm = createOrm(databaseConfig.parse(stack.env));
  const tenant = { id: randomUUID(), name: 'quality', tier: 'enterprise' as const, createdAt: new Date() };
  await orm.em.fork().insert(Tenant, tenant);
  await orm.close(true);
  const store = openPassageStore(stack.env, { tenantId: tenant.id, textEmbedding, signal });
  return {
    ...store,
    async close() {
      await store.close();
      await stack.stop({ keepData: false });
    },
  };
}

/** The chunks of a tenant of servers that run. The model is not closed with the store. */
export function openPassageStore(
  settings: Readonly<Record<string, string>>,
  {
    tenantId,
    textEmbedding,
    signal,
  }: { tenantId: string; textEmbedding: TextEmbedding; signal: AbortSignal },
): PassageStore {
  const orm = createOrm(databaseConfig.parse(settings));
  const chunkVectors = createVectorIndex(vectorConfig.parse(settings), chunkCollection(textEmbedding));
  return {
    async add(file) {
      const em = orm.em.fork();
      const fileId = await insertDocument(em, tenantId, file);
      const chunks = toChunks(fileId, file.chunks);
      await em.transactional((tx) => replaceChunks(tx, { fileId, tenantId }, chunks));
      await indexDocument({ em, textEmbedding, chunkVectors }, { id: fileId, tenantId }, signal);
      return chunks.map(({ id }) => id);
    },
    async search(query, limit) {
      const onDegraded = (error: unknown): never => {
        throw error;
      };
      const deps = { em: orm.em.fork(), textEmbedding, chunkVectors, onDegraded };
      const options = { query, limit, threshold: 0, timeoutMs: TIMEOUT_MS };
      const { hits } = await searchChunks(deps, tenantId, options);
      return hits.map(({ id }) => id);
    },
    async near(query, limit) {
      const [vector = []] = await textEmbedding.embed([query], { role: 'query', signal });
      return (await chunkVectors.search({ vector, tenantId, limit })).map(({ id }) => id);
    },
    async close() {
      await Promise.all([chunkVectors.close(), orm.close(true)]);
    },
  };
}

async function insertDocument(
  em: ReturnType<typeof createOrm>['em'],
  tenantId: string,
  { filename, language, pageCount }: DividedFile,
): Promise<string> {
  const id = randomUUID();
  await em.insert(StoredFile, {
    id,
    tenantId,
    mediaType: 'document',
    contentType: 'application/pdf',
    format: 'pdf',
    filename,
    tags: [],
    contentCategory: 'general',
    sizeBytes: 1,
    sha256: '0'.repeat(64),
    objectKey: id,
    options: { autoDescribe: false, skipDuplicates: false },
    generation: 1,
    seq: 1,
    components: {},
    primaryStatus: 'completed',
    createdAt: new Date(),
    updatedAt: new Date(),
  });
  await em.insert(DocumentDetails, { fileId: id, pageCount, language, profile: {} });
  return id;
}
