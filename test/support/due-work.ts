import type { EntityName } from '@mikro-orm/postgresql';
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { Orm } from '../../db/create-orm.ts';
import { DocumentAnswer } from '../../db/entities/ask/document-answer.ts';
import { DataExport } from '../../db/entities/exports/export.ts';
import { FileImport } from '../../db/entities/imports/import.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { SchemaExtraction } from '../../db/entities/structured-extraction/schema-extraction.ts';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { ImageImport } from '../../db/entities/uploads/image-import.ts';
import { DirectUpload } from '../../db/entities/uploads/direct-upload.ts';
import { WebhookDelivery } from '../../db/entities/webhooks/webhook-delivery.ts';
import type { HistorySpec } from '../../domain/exports/spec.ts';
import { requestAnswer } from '../../services/ask/request-answer.ts';
import { createExport } from '../../services/exports/create-export.ts';
import { exportWork } from '../../services/exports/export-work.ts';
import { requestImageImport } from '../../services/image-imports/request-image-import.ts';
import { startOrCancelImport } from '../../services/imports/reconcile-import.ts';
import { startFileWork } from '../../services/processing/start-file-work.ts';
import type { DueRow } from '../../services/shared/due.ts';
import { requestExtraction } from '../../services/structured-extraction/request-extraction.ts';
import { openUploadSession, startUploadSession } from '../../services/upload-sessions/open-upload-session.ts';
import { announceUploadSession } from '../../services/upload-sessions/reconcile-upload-session.ts';
import { originalKey } from '../../domain/object-keys.ts';
import { sealUploadSession } from '../../services/upload-sessions/seal-upload-session.ts';
import { abortUpload } from '../../services/direct-uploads/abort-upload.ts';
import { startOrSignalDirectUpload } from '../../services/direct-uploads/reconcile-direct-upload.ts';
import { ingestFile } from '../../services/uploads/ingest-file.ts';
import { reconcileDelivery } from '../../services/webhooks/reconcile-delivery.ts';
import type { Engine } from '../../temporal/client.ts';
import { eventually } from './api.ts';
import { uniqueImage } from './images.ts';
import { invoiceDocument } from './invoices.ts';
import type { OwnTenant } from './own-tenant.ts';
import { ownerOf } from './principals.ts';
import { addAbandonedDelivery } from './webhook-receiver.ts';
import { UPLOAD_SESSION_WORKFLOWS } from '../../temporal/contract/upload-session.ts';

const RUNNING = {
  status: { name: 'RUNNING' },
  runId: randomUUID(),
  memo: { generation: 1 },
  typedSearchAttributes: new Map(),
  raw: {},
};

/** An engine that accepts starts and signals without effect, and knows every workflow or none. */
export function lyingEngine(engine: Engine, knows: 'every workflow' | 'no workflow'): Engine {
  const about = <R>(answer: R) =>
    knows === 'every workflow'
      ? Promise.resolve(answer)
      : Promise.reject(new WorkflowNotFoundError('not found', 'any', undefined));
  const handle = {
    describe: () => about(RUNNING),
    signal: () => about(undefined),
    cancel: () => about(undefined),
  };
  const workflow = {
    start: async () => handle,
    signalWithStart: async () => handle,
    getHandle: () => handle,
    async *list() {},
  };
  return { ...engine, within: (_milliseconds, calls) => calls({ ...engine.client, workflow } as never) };
}

export interface DueWork {
  /** Of its reconcile target. */
  noun: string;
  entity: EntityName<DueRow>;
  /** Makes a row of which the engine is told; returns its id. */
  make: (owner: OwnTenant, told: Engine) => Promise<string>;
  /** Whether its workflow has read the row. */
  isRead: (row: DueRow) => boolean;
}

const kind = <T extends DueRow>(
  noun: string,
  entity: EntityName<T>,
  make: DueWork['make'],
  isRead: (row: T) => boolean = ({ engineDueAt }) => !engineDueAt,
): DueWork => ({
  noun,
  entity: entity as EntityName<DueRow>,
  make,
  isRead: isRead as DueWork['isRead'],
});

/** Work of all kinds of which an engine is told, by the event that tells it, and the rows to make such work of. */
export function createDueWork({ orm, engine, objects }: { orm: Orm; engine: Engine; objects: ObjectStore }) {
  const em = () => orm.em.fork();
  const kinds: Record<string, DueWork> = {
    'the start of a session': kind('upload session', UploadSession, async ({ tenantId }, told) => {
      const given = { sessionId: randomUUID(), uploadMethod: 'streaming' } as const;
      const session = await openUploadSession(em(), ownerOf(tenantId), given);
      await startUploadSession(told, session);
      return session.id;
    }),
    'the seal of a session': kind('upload session', UploadSession, async ({ tenantId }, told) => {
      const session = await runningSession(tenantId);
      const sealed = await sealUploadSession(em(), { sessionId: session.id, tenantId }, 'client');
      await announceUploadSession({ em: em(), engine: told }, sealed);
      return session.id;
    }),
    'the start of a file': kind('file', StoredFile, async ({ tenantId }, told) => {
      const file = await storedImage(tenantId);
      await startFileWork({ em: em(), engine: told }, file);
      return file.id;
    }),
    'the completion of a direct upload': kind('direct upload', DirectUpload, async ({ client }, told) => {
      const id = await announcedUpload(client);
      const now = new Date();
      await em().nativeUpdate(DirectUpload, { id }, { completeRequestedAt: now, engineDueAt: now });
      const row = await em().findOneOrFail(DirectUpload, id);
      await startOrSignalDirectUpload({ em: em(), engine: told }, row);
      return id;
    }),
    'the abortion of a direct upload': kind(
      'direct upload',
      DirectUpload,
      async ({ client, tenantId }, told) => {
        const uploadId = await announcedUpload(client);
        await abortUpload({ em: em(), engine: told }, { uploadId, tenantId }, null);
        return uploadId;
      },
    ),
    'the start of an export': kind('export', DataExport, async ({ tenantId }, told) => {
      const row = await newExport(tenantId);
      await exportWork.start({ em: em(), engine: told }, await em().findOneOrFail(DataExport, row.id));
      return row.id;
    }),
    'the start of an extraction': kind('extraction', SchemaExtraction, async ({ tenantId, client }, told) => {
      const fileId = await client.ingest({ bytes: invoiceDocument, filename: 'invoice.md' });
      await client.settled(fileId);
      const { id } = await requestExtraction({ em: em(), objects, engine: told }, ownerOf(tenantId), {
        id: randomUUID(),
        content: { kind: 'file', fileId },
        schema: {
          schema: { type: 'object', properties: { invoice_no: { type: 'string' } } },
          promptHint: null,
        },
        prompt: null,
        level: 'quick',
        citations: false,
        timeoutMs: 60_000,
      });
      return id;
    }),
    'the start of an answer': kind('answer', DocumentAnswer, async ({ tenantId }, told) => {
      const hit = {
        id: randomUUID(),
        documentId: randomUUID(),
        filename: 'a.md',
        mediaType: 'document',
        sourceUrl: null,
        parentFileId: null,
        index: 0,
        content: 'The warranty lasts for two years.',
        pageNumbers: [1],
        headingPath: [],
        type: 'text',
        role: 'body',
        elements: [],
        similarity: 0.9,
        score: 0.9,
      } as const;
      const { id } = await requestAnswer({ em: em(), engine: told }, ownerOf(tenantId), {
        id: randomUUID(),
        question: 'How long does the warranty last?',
        level: 'quick',
        findHits: async () => [{ ...hit, pageNumbers: [1], headingPath: [], elements: [] }],
        timeoutMs: 60_000,
      });
      return id;
    }),
    'the start of an import of files': kind('import', FileImport, async ({ tenantId }, told) => {
      const importId = randomUUID();
      const row = await em().transactional(async (tx) => {
        const created = tx.create(FileImport, {
          id: importId,
          tenantId,
          source: { type: 'own_bucket', prefix: '' },
          settings: {
            tags: [],
            contentCategory: 'general',
            options: { autoDescribe: false, skipDuplicates: false },
            folderId: null,
          },
          concurrency: 1,
          status: 'pending',
          generation: 1,
          retryFailed: false,
          listed: false,
          idlePages: 0,
          pass: 1,
          seen: false,
          gonePass: 1,
          gone: 0,
          whenGone: 'keep',
          found: 0,
          imported: 0,
          skipped: 0,
          failed: 0,
          reasons: {},
          bytes: 0,
          engineDueAt: new Date(),
          createdAt: new Date(),
          updatedAt: new Date(),
        });
        await tx.persist(created).flush();
        return created;
      });
      await startOrCancelImport({ em: em(), engine: told }, row);
      return row.id;
    }),
    'the start of an import': kind('image import', ImageImport, async ({ tenantId }, told) => {
      const { id } = await requestImageImport({ em: em(), engine: told }, ownerOf(tenantId), {
        url: 'http://127.0.0.1:9/image.png',
        contentCategory: 'general',
        options: { autoDescribe: true, skipDuplicates: false },
      });
      return id;
    }),
    'the retry of a delivery': kind(
      'webhook delivery',
      WebhookDelivery,
      async ({ tenantId, client }, told) => {
        const wanted = { url: 'http://127.0.0.1:9/', event_types: ['*'] };
        const { body: webhook } = await client.post('/webhooks/subscriptions', wanted);
        const id = await addAbandonedDelivery(orm, tenantId, webhook.id);
        await em().nativeUpdate(WebhookDelivery, { id }, { engineDueAt: new Date() });
        await reconcileDelivery({ em: em(), engine: told }, await em().findOneOrFail(WebhookDelivery, id));
        return id;
      },
      // Nothing listens there, so it is due again later.
      ({ attempts }) => attempts > 0,
    ),
  };

  /** A session whose workflow waits for files. */
  async function runningSession(tenantId: string): Promise<UploadSession> {
    const given = { sessionId: randomUUID(), uploadMethod: 'streaming' } as const;
    const { id } = await openUploadSession(em(), ownerOf(tenantId), given);
    await startUploadSession(engine, await em().findOneOrFail(UploadSession, id));
    return eventually(async () => {
      const session = await em().findOneOrFail(UploadSession, id);
      assert.equal(session.engineDueAt, null);
      const { raw } = await engine.client.workflow.getHandle(UPLOAD_SESSION_WORKFLOWS.of(id)).describe();
      assert.equal(raw.pendingWorkflowTask ?? null, null);
      return session;
    });
  }

  async function storedImage(tenantId: string, sessionId?: string): Promise<StoredFile> {
    const bytes = await uniqueImage();
    const fileId = randomUUID();
    const content = { mediaType: 'image', contentType: 'image/png', format: 'png' } as const;
    const objectKey = originalKey({ tenantId }, fileId, 'whole');
    await objects.put(objectKey, bytes, content);
    const outcome = await ingestFile(em(), ownerOf(tenantId), {
      ...content,
      fileId,
      objectKey,
      sizeBytes: bytes.byteLength,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      filename: 'a.png',
      title: null,
      tags: [],
      contentCategory: 'general',
      options: { autoDescribe: true, skipDuplicates: false },
      ...(sessionId && { session: { sessionId, index: 0 } }),
    });
    assert.ok('created' in outcome);
    return outcome.created;
  }

  async function announcedUpload(client: OwnTenant['client']): Promise<string> {
    const announced = {
      filename: 'a.png',
      content_type: 'image/png',
      size_bytes: 1000,
      claimed_file_hash: 'a'.repeat(64),
    };
    const { status, body } = await client.post('/files/direct-uploads', announced);
    assert.equal(status, 201, JSON.stringify(body));
    return body.upload_id;
  }

  function newExport(tenantId: string): Promise<DataExport> {
    const { credential } = ownerOf(tenantId);
    const spec = { filter: {}, fields: ['id', 'description'], includeMetadata: false, includeFailed: false };
    const wanted = { kind: 'descriptions', format: 'csv', spec: spec as HistorySpec } as const;
    return createExport(em(), { exportId: randomUUID(), tenantId }, wanted, {
      credential,
      ipAddress: '127.0.0.1',
    });
  }

  return { kinds, runningSession, storedImage, newExport };
}
