import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createLocalTextEmbedding } from '../../../adapters/models/text-embedding/local-text-embedding.ts';
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
import type { Chunk } from '../../../domain/documents/split-element.ts';
import { replaceChunks, toChunks } from '../../../services/documents/chunk-document.ts';
import { withDictionaries } from '../../../adapters/text-work/languages.ts';
import { detectLanguage } from '../../../adapters/document-reader/language.ts';
import { chunkCollection, indexDocument } from '../../../services/documents/index-chunks.ts';
import { searchChunks } from '../../../services/documents/search-chunks.ts';

export interface Passage {
  document: string;
  content: string;
}

/** The passages of several programs, each in a separate tenant of real servers, searched with the real search. */
export interface PassageStore {
  add(program: string, document: string, passages: readonly Chunk[]): Promise<void>;
  /** Hits, best first, of Darkroom's search and of a vector search alone. */
  search(program: string, query: string, limit: number): Promise<{ hybrid: Passage[]; vectors: Passage[] }>;
  close(): Promise<void>;
}

const run = promisify(execFile);
const TIMEOUT_MS = 30_000;

export async function startPassageStore(
  given: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<PassageStore> {
  const stack = await startDisposableStack(given, { apps: false, signal });
  const env = { ...given, ...stack.env };
  await run(process.execPath, [join(PROJECT_ROOT, 'db', 'migrate.ts')], { env, signal });
  const orm = createOrm(databaseConfig.parse(stack.env));
  const textEmbedding = cached(createLocalTextEmbedding());
  const chunkVectors = createVectorIndex(vectorConfig.parse(stack.env), chunkCollection(textEmbedding));
  const tenants = new Map<string, string>();
  const stored = new Map<string, Passage>();

  async function tenantOf(program: string): Promise<string> {
    const known = tenants.get(program);
    if (known !== undefined) return known;
    const id = randomUUID();
    await orm.em.fork().insert(Tenant, { id, name: program, tier: 'enterprise', createdAt: new Date() });
    tenants.set(program, id);
    return id;
  }

  return {
    async add(program, document, passages) {
      const tenantId = await tenantOf(program);
      const em = orm.em.fork();
      const fileId = await insertDocument(em, tenantId, document);
      const language = detectLanguage(passages.map(({ content }) => content).join(' '));
      const chunks = toChunks(fileId, withDictionaries(passages, language));
      await em.transactional((tx) => replaceChunks(tx, { fileId, tenantId }, chunks));
      for (const { id, content } of chunks) stored.set(id, { document, content });
      await indexDocument({ em, textEmbedding, chunkVectors }, { id: fileId, tenantId }, signal);
    },
    async search(program, query, limit) {
      const tenantId = await tenantOf(program);
      const onDegraded = (error: unknown): never => {
        throw error;
      };
      const deps = { em: orm.em.fork(), textEmbedding, chunkVectors, onDegraded };
      const { hits } = await searchChunks(deps, tenantId, {
        query,
        limit,
        threshold: 0,
        timeoutMs: TIMEOUT_MS,
      });
      const [vector = []] = await textEmbedding.embed([query], { signal });
      const near = await chunkVectors.search({ vector, tenantId, limit });
      const read = (ids: readonly { id: string }[]) => ids.flatMap(({ id }) => stored.get(id) ?? []);
      return { hybrid: read(hits), vectors: read(near) };
    },
    async close() {
      await Promise.all([textEmbedding.close(), chunkVectors.close(), orm.close(true)]);
      await stack.stop({ keepData: false });
    },
  };
}

/** Caches vectors, because every program gets the same questions. */
function cached(embedding: TextEmbedding): TextEmbedding {
  const known = new Map<string, number[]>();
  return {
    ...embedding,
    async embed(texts, options) {
      const unknown = texts.filter((text) => !known.has(text));
      const vectors = await embedding.embed(unknown, options);
      for (const [at, text] of unknown.entries()) known.set(text, vectors[at] ?? []);
      return texts.map((text) => known.get(text) ?? []);
    },
  };
}

async function insertDocument(
  em: ReturnType<typeof createOrm>['em'],
  tenantId: string,
  filename: string,
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
  await em.insert(DocumentDetails, { fileId: id, pageCount: 1, profile: {} });
  return id;
}
