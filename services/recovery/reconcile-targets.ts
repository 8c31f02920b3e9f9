import { raw, type EntityName, type FilterQuery, type FindOptions } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { DocumentAnswer } from '../../db/entities/ask/document-answer.ts';
import { DataExport } from '../../db/entities/exports/export.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { SchemaExtraction } from '../../db/entities/structured-extraction/schema-extraction.ts';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { ImageImport } from '../../db/entities/uploads/image-import.ts';
import { UploadIntent } from '../../db/entities/uploads/upload-intent.ts';
import { WebhookDelivery } from '../../db/entities/webhooks/webhook-delivery.ts';
import { OPEN_EXPORT_STATUSES } from '../../domain/exports/export.ts';
import { OPEN_STATUSES } from '../../domain/primary-status.ts';
import { OPEN_UPLOAD_SESSION_STATUSES } from '../../domain/upload-sessions/upload-session.ts';
import { OPEN_INTENT_STATUSES } from '../../domain/uploads/upload-intent.ts';
import { ADMITTED_STATUSES } from '../../domain/webhooks/delivery.ts';
import type { Engine } from '../../temporal/client.ts';
import { SWEEP_DEADLINE_MS } from '../../temporal/deadlines.ts';
import {
  parseAnswerWorkflowId,
  parseDirectUploadWorkflowId,
  parseExtractionWorkflowId,
  parseExportWorkflowId,
  parseFileWorkflowId,
  parseImageImportWorkflowId,
  parseUploadSessionWorkflowId,
  parseWebhookWorkflowId,
} from '../../temporal/contract/ids.ts';
import type { WorkflowName } from '../../temporal/contract/workflows.ts';
import { reconcileAnswer } from '../ask/find-answer.ts';
import { reconcileExport } from '../exports/reconcile-export.ts';
import { reconcileImageImport } from '../image-imports/end-image-import.ts';
import { NOT_WAITING_IN_SESSION } from '../processing/file-target.ts';
import { reconcileFile } from '../processing/reconcile-file.ts';
import { reconcileExtraction } from '../structured-extraction/start-extraction.ts';
import { checkAgainLater } from '../shared/due.ts';
import { findUnmarkedDue, reconcileUploadSession } from '../upload-sessions/reconcile-upload-session.ts';
import { reconcileDirectUpload } from '../uploads/direct/reconcile-direct-upload.ts';
import { reconcileDelivery } from '../webhooks/reconcile-delivery.ts';

export interface RecoveryDeps {
  em: EntityManager;
  engine: Engine;
}

interface Definition<T> {
  noun: string;
  entity: EntityName<T>;
  workflowType: WorkflowName;
  parse: (workflowId: string) => string | undefined;
  /** Rows that have not ended. */
  open: FilterQuery<T>;
  /** Rows that are due on their own; all with a mark unless given. */
  due?: () => FilterQuery<T>;
  /** Ids of rows that are due without a mark. */
  findUnmarkedDue?: (em: EntityManager, before: Date, limit: number) => Promise<string[]>;
  /** Open rows that should have a running workflow and were last updated before the given time. */
  quiet: (before: Date) => FilterQuery<T>;
  reconcile: (deps: RecoveryDeps, row: T) => Promise<boolean>;
}

/** A kind of row that may be out of sync with its workflows; each find method returns ids. */
export interface ReconcileTarget {
  noun: string;
  workflowType: WorkflowName;
  /** The row's id from a workflow id; undefined for workflows of other kinds. */
  parse: (workflowId: string) => string | undefined;
  /** Filters these ids to rows that have not ended. */
  findOpen(em: EntityManager, ids: string[]): Promise<string[]>;
  /** Rows that were due at the engine before the given time, oldest first. */
  findDue(em: EntityManager, before: Date, limit: number): Promise<string[]>;
  /** Rows that should have a running workflow and were last updated before the given time, in id order. */
  findQuiet(em: EntityManager, before: Date, afterId: string, limit: number): Promise<string[]>;
  /** Whether the row was changed. */
  reconcile(deps: RecoveryDeps, id: string): Promise<boolean>;
}

function reconcileTarget<T extends { id: string; engineDueAt?: Date | null | undefined }>({
  entity,
  open,
  due = () => ({}),
  findUnmarkedDue = async () => [],
  quiet,
  reconcile,
  ...rest
}: Definition<T>): ReconcileTarget {
  const query = (where: object) => where as FilterQuery<NoInfer<T>>;
  const order = (by: object) => by as FindOptions<T>['orderBy'] & {};
  const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
  return {
    ...rest,
    findOpen: async (em, among) =>
      ids(await em.find(entity, query({ $and: [{ id: { $in: among } }, open] }))),
    async findDue(em, before, limit) {
      const marked = await em.find(entity, query({ $and: [{ engineDueAt: { $lt: before } }, due()] }), {
        orderBy: order({ engineDueAt: 'asc' }),
        limit,
      });
      return [...new Set([...ids(marked), ...(await findUnmarkedDue(em, before, limit))])];
    },
    findQuiet: async (em, before, afterId, limit) =>
      ids(
        await em.find(entity, query({ $and: [{ id: { $gt: afterId } }, quiet(before)] }), {
          orderBy: order({ id: 'asc' }),
          limit,
        }),
      ),
    async reconcile(deps, id) {
      const row = await deps.em.findOne(entity, query({ id }));
      if (!row) return false;
      try {
        return await reconcile(deps, row);
      } finally {
        await checkAgainLater(deps.em, entity, row);
      }
    },
  };
}

const uploadSessions = reconcileTarget<UploadSession>({
  noun: 'upload session',
  entity: UploadSession,
  workflowType: 'uploadSession',
  parse: parseUploadSessionWorkflowId,
  open: { status: { $in: [...OPEN_UPLOAD_SESSION_STATUSES] } },
  findUnmarkedDue,
  quiet: (before) => ({
    status: { $in: [...OPEN_UPLOAD_SESSION_STATUSES] },
    engineDueAt: null,
    createdAt: { $lt: before },
  }),
  reconcile: (deps, row) => reconcileUploadSession(deps, row, SWEEP_DEADLINE_MS),
});

const directUploads = reconcileTarget<UploadIntent>({
  noun: 'direct upload',
  entity: UploadIntent,
  workflowType: 'directUpload',
  parse: parseDirectUploadWorkflowId,
  open: { status: { $in: [...OPEN_INTENT_STATUSES] } },
  // An upload that still waits for its client is reconciled by the next request or at its expiry.
  quiet: (before) => ({
    status: { $in: [...OPEN_INTENT_STATUSES] },
    engineDueAt: null,
    completeRequestedAt: { $lt: before },
  }),
  reconcile: (deps, row) => reconcileDirectUpload(deps, row, SWEEP_DEADLINE_MS),
});

const imageImports = reconcileTarget<ImageImport>({
  noun: 'image import',
  entity: ImageImport,
  workflowType: 'importImage',
  parse: parseImageImportWorkflowId,
  open: { status: 'pending' },
  quiet: (before) => ({ status: 'pending', engineDueAt: null, updatedAt: { $lt: before } }),
  reconcile: (deps, row) => reconcileImageImport(deps, row, SWEEP_DEADLINE_MS),
});

const files = reconcileTarget<StoredFile>({
  noun: 'file',
  entity: StoredFile,
  workflowType: 'processFile',
  parse: parseFileWorkflowId,
  open: { primaryStatus: { $in: OPEN_STATUSES }, deletedAt: null },
  // Their sessions are due instead: one check for all.
  due: () => ({ $or: [{ deletedAt: { $ne: null } }, { [raw(NOT_WAITING_IN_SESSION)]: [] }] }),
  quiet: (before) => ({
    primaryStatus: { $in: OPEN_STATUSES },
    deletedAt: null,
    engineDueAt: null,
    updatedAt: { $lt: before },
    [raw(NOT_WAITING_IN_SESSION)]: [],
  }),
  reconcile: async (deps, row) => (await reconcileFile(deps, row, SWEEP_DEADLINE_MS)).changed,
});

const extractions = reconcileTarget<SchemaExtraction>({
  noun: 'extraction',
  entity: SchemaExtraction,
  workflowType: 'extractData',
  parse: parseExtractionWorkflowId,
  open: { status: 'processing' },
  quiet: (before) => ({
    status: 'processing',
    source: { $ne: 'upload' },
    engineDueAt: null,
    updatedAt: { $lt: before },
  }),
  reconcile: (deps, row) => reconcileExtraction(deps, row, SWEEP_DEADLINE_MS),
});

const answers = reconcileTarget<DocumentAnswer>({
  noun: 'answer',
  entity: DocumentAnswer,
  workflowType: 'answerQuestion',
  parse: parseAnswerWorkflowId,
  open: { status: 'processing' },
  quiet: (before) => ({ status: 'processing', engineDueAt: null, updatedAt: { $lt: before } }),
  reconcile: (deps, row) => reconcileAnswer(deps, row, SWEEP_DEADLINE_MS),
});

const exports = reconcileTarget<DataExport>({
  noun: 'export',
  entity: DataExport,
  workflowType: 'exportData',
  parse: parseExportWorkflowId,
  open: { status: { $in: [...OPEN_EXPORT_STATUSES] } },
  quiet: (before) => ({
    status: { $in: [...OPEN_EXPORT_STATUSES] },
    engineDueAt: null,
    createdAt: { $lt: before },
  }),
  reconcile: (deps, row) => reconcileExport(deps, row, SWEEP_DEADLINE_MS),
});

const webhookDeliveries = reconcileTarget<WebhookDelivery>({
  noun: 'webhook delivery',
  entity: WebhookDelivery,
  workflowType: 'deliverWebhook',
  parse: parseWebhookWorkflowId,
  open: { status: { $in: [...ADMITTED_STATUSES] } },
  // A delivery that waits for its next attempt counts as quiet once that is overdue.
  quiet: (before) => ({
    status: { $in: [...ADMITTED_STATUSES] },
    engineDueAt: null,
    createdAt: { $lt: before },
    $or: [{ nextAttemptAt: null }, { nextAttemptAt: { $lt: before } }],
  }),
  reconcile: (deps, row) => reconcileDelivery(deps, row, SWEEP_DEADLINE_MS),
});

/** Sessions before files, since an open session starts its own files. */
export const RECONCILE_TARGETS: readonly ReconcileTarget[] = [
  uploadSessions,
  directUploads,
  imageImports,
  files,
  exports,
  extractions,
  answers,
  webhookDeliveries,
];
