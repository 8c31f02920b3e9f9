import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sniffContentType } from '../../engines/content-sniffer/content-sniffer.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { SchemaExtraction } from '../../db/entities/structured-extraction/schema-extraction.ts';
import { extractionCharges, extractionReservationId } from '../../domain/accounts/credits.ts';
import { AppError } from '../../domain/app-error.ts';
import { MAGIC_BYTES } from '../../domain/media.ts';
import { extractionKey } from '../../domain/object-keys.ts';
import {
  LEVEL_RULES,
  type AnalysisLevel,
  type UsedSchema,
} from '../../domain/structured-extraction/extraction.ts';
import type { Engine } from '../../temporal/client.ts';
import { reserveCredits } from '../accounts/credits.ts';
import { apiKeyIdOf, type Principal } from '../accounts/principal.ts';
import { mediumOf } from '../media/medium.ts';
import { isUuid } from '../shared/sql.ts';
import { acceptedContent, acceptedFormats } from '../uploads/accepted-content.ts';
import { claimObject, discardObject, releaseClaim } from '../uploads/claimed-objects.ts';
import { subscribeToSubject, type RequestWebhook } from '../webhooks/request-webhook.ts';
import { extractionWork } from './extraction-work.ts';
import { dueSince } from '../shared/due.ts';

/** The source of an extraction. */
export type Content =
  | { kind: 'file'; fileId: string }
  | { kind: 'url'; url: string }
  | { kind: 'base64'; bytes: Uint8Array };

export interface ExtractionRequest {
  id: string;
  content: Content;
  schema: UsedSchema;
  prompt: string | null;
  level: AnalysisLevel;
  citations: boolean;
  /** How long the client waits, which bounds the retries of a model that does not respond. */
  timeoutMs: number;
  /** Receives the events of the extraction. */
  webhook?: RequestWebhook | undefined;
}

/** Share of the client's timeout after which an outage is reported. */
const GIVE_UP_SHARE = 0.9;

/**
 * Accepts an extraction: stores an image that came with the request, reserves the credits and starts the workflow.
 * Idempotent by its id.
 *
 * @throws AppError IMAGE_NOT_FOUND, UNSUPPORTED_MEDIA, WORK_IN_PROGRESS for a document that is being read,
 *   QUOTA_EXHAUSTED
 */
export async function requestExtraction(
  { em, objects, engine }: { em: EntityManager; objects: ObjectStore; engine: Engine },
  principal: Principal,
  request: ExtractionRequest,
): Promise<SchemaExtraction> {
  const { tenantId } = principal;
  const known = await em.findOne(SchemaExtraction, { id: request.id, tenantId });
  const extraction = known ?? (await accept({ em, objects }, principal, request));
  await extractionWork.start({ em, engine }, extraction);
  return extraction;
}

async function accept(
  { em, objects }: { em: EntityManager; objects: ObjectStore },
  principal: Principal,
  request: ExtractionRequest,
): Promise<SchemaExtraction> {
  const { content, id } = request;
  const { tenantId } = principal;
  if (content.kind === 'file') {
    const file = await findContent(em, tenantId, content.fileId);
    return insert(em, principal, request, { fileId: file.id });
  }
  if (content.kind === 'url') return insert(em, principal, request, { sourceUrl: content.url });
  const sent = acceptedContent(await sniffContentType(content.bytes.subarray(0, MAGIC_BYTES)));
  const { contentType } = sent;
  const { extraction } = mediumOf(sent);
  if (!extraction || extraction.readPages) {
    const message = `${contentType} is not an image; send ${acceptedFormats('image')}, or upload a document and use file_id`;
    throw new AppError('UNSUPPORTED_MEDIA', message);
  }
  const key = extractionKey({ tenantId }, id, 'input', randomUUID());
  await claimObject(em, key);
  try {
    await objects.put(key, content.bytes, { contentType });
    return await insert(em, principal, request, { objectKeys: [key] });
  } catch (error) {
    await discardObject({ em, objects }, key);
    throw error;
  }
}

/** "file_id image not found: 400" */
async function findContent(em: EntityManager, tenantId: string, fileId: string): Promise<StoredFile> {
  const file = isUuid(fileId)
    ? await em.findOne(StoredFile, { id: fileId.toLowerCase(), tenantId, deletedAt: null })
    : null;
  const extraction = file ? mediumOf(file).extraction : undefined;
  if (!file || !extraction) {
    throw new AppError('IMAGE_NOT_FOUND', 'there is no image or document with this file_id');
  }
  extraction.requireReadable?.(file);
  return file;
}

async function insert(
  em: EntityManager,
  { tenantId, tier, credential }: Principal,
  { id, content, schema, prompt, level, citations, timeoutMs, webhook }: ExtractionRequest,
  of: { fileId?: string; sourceUrl?: string; objectKeys?: string[] },
): Promise<SchemaExtraction> {
  return em.transactional(async (tx) => {
    const now = new Date();
    const apiKeyId = apiKeyIdOf(credential);
    await reserveCredits(tx, {
      tenantId,
      tier,
      reservationId: extractionReservationId(id),
      charges: extractionCharges(LEVEL_RULES[level].usage),
      apiKeyId,
    });
    for (const key of of.objectKeys ?? []) await releaseClaim(tx, key);
    await subscribeToSubject(tx, webhook, { tenantId, kind: 'extraction', id });
    return tx.create(SchemaExtraction, {
      id,
      tenantId,
      source: content.kind,
      fileId: of.fileId ?? null,
      generation: null,
      sourceUrl: of.sourceUrl ?? null,
      objectKeys: of.objectKeys ?? [],
      ...rowOf(schema, { prompt, level, citations }),
      giveUpAt: new Date(now.getTime() + timeoutMs * GIVE_UP_SHARE),
      apiKeyId: apiKeyId ?? null,
      userId: credential.kind === 'session' ? credential.userId : null,
      ...dueSince(now),
      createdAt: now,
      updatedAt: now,
    });
  });
}

/** The columns of the request, and empty ones of a result. */
export function rowOf(
  { schema, saved, promptHint }: UsedSchema,
  { prompt, level, citations }: Pick<ExtractionRequest, 'prompt' | 'level' | 'citations'>,
) {
  return {
    schema,
    schemaId: saved?.id ?? null,
    schemaVersion: saved?.version ?? null,
    // "if a saved schema has a prompt_hint and no prompt is given, the hint is used"
    prompt: prompt ?? promptHint,
    level,
    citationsRequested: citations,
    status: 'processing',
    error: null,
    readPage: null,
    data: null,
    citations: null,
    confidence: null,
    provider: null,
    model: null,
    promptVersion: null,
    usage: null,
    processingMs: null,
    completedAt: null,
  } as const;
}
