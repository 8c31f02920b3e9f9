import { raw } from '@mikro-orm/core';
import { WebhookDelivery } from '../../db/entities/webhooks/webhook-delivery.ts';
import { DocumentAnswer } from '../../db/entities/ask/document-answer.ts';
import { DataExport } from '../../db/entities/exports/export.ts';
import { ImageImport } from '../../db/entities/uploads/image-import.ts';
import { UploadIntent } from '../../db/entities/uploads/upload-intent.ts';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { OPEN_EXPORT_STATUSES } from '../../domain/exports/export.ts';
import { OPEN_STATUSES } from '../../domain/primary-status.ts';
import { OPEN_UPLOAD_SESSION_STATUSES } from '../../domain/upload-sessions/upload-session.ts';
import { OPEN_INTENT_STATUSES } from '../../domain/uploads/upload-intent.ts';
import { ADMITTED_STATUSES } from '../../domain/webhooks/delivery.ts';
import {
  answerWorkflowId,
  directUploadWorkflowId,
  exportWorkflowId,
  extractionWorkflowId,
  imageImportWorkflowId,
  webhookWorkflowId,
} from '../../temporal/contract/ids.ts';
import { describeRun } from '../../temporal/status/describe-run.ts';
import {
  describeUploadSessionRun,
  describeWorkflowRun,
} from '../../temporal/status/describe-workflow-run.ts';
import { SchemaExtraction } from '../../db/entities/structured-extraction/schema-extraction.ts';
import { NOT_WAITING_IN_SESSION } from '../processing/file-target.ts';
import { type Invariant, inspect, walk, walkFiles } from './invariant.ts';

const DEADLINE_MS = 10_000;

/** Excludes rows that the sweep will start, and files queued in an open session: they will get a workflow. */
export const openWork: Invariant = {
  id: 'I11',
  title:
    'every open file, session, upload, import, export, answer and webhook delivery has a running workflow or is due in the sweep',
  async *check({ em, engine }) {
    const files = walkFiles(
      { em },
      {
        primaryStatus: { $in: OPEN_STATUSES },
        deletedAt: null,
        engineDueAt: null,
        [raw(NOT_WAITING_IN_SESSION)]: [],
      },
    );
    yield* inspect(files, async ({ id }) => lost('file', id, await describeRun(engine, id, DEADLINE_MS)));

    const sessions = walk(em, UploadSession, {
      status: { $in: OPEN_UPLOAD_SESSION_STATUSES },
      engineDueAt: null,
    });
    yield* inspect(sessions, async ({ id }) =>
      lost('session', id, await describeUploadSessionRun(engine, id, DEADLINE_MS)),
    );

    const uploads = walk(em, UploadIntent, {
      status: { $in: OPEN_INTENT_STATUSES },
      engineDueAt: null,
    });
    yield* inspect(uploads, async ({ id }) =>
      lost('upload', id, await describeWorkflowRun(engine, directUploadWorkflowId(id), DEADLINE_MS)),
    );

    const exports = walk(em, DataExport, { status: { $in: [...OPEN_EXPORT_STATUSES] }, engineDueAt: null });
    yield* inspect(exports, async ({ id }) =>
      lost('export', id, await describeWorkflowRun(engine, exportWorkflowId(id), DEADLINE_MS)),
    );

    const imports = walk(em, ImageImport, { status: 'pending', engineDueAt: null });
    yield* inspect(imports, async ({ id }) =>
      lost('import', id, await describeWorkflowRun(engine, imageImportWorkflowId(id), DEADLINE_MS)),
    );

    // The schema extraction of an upload is part of its own workflow.
    const extractions = walk(em, SchemaExtraction, {
      status: 'processing',
      source: { $ne: 'upload' },
      engineDueAt: null,
    });
    yield* inspect(extractions, async ({ id }) =>
      lost('extraction', id, await describeWorkflowRun(engine, extractionWorkflowId(id), DEADLINE_MS)),
    );

    const answers = walk(em, DocumentAnswer, { status: 'processing', engineDueAt: null });
    yield* inspect(answers, async ({ id }) =>
      lost('answer', id, await describeWorkflowRun(engine, answerWorkflowId(id), DEADLINE_MS)),
    );

    const deliveries = walk(em, WebhookDelivery, {
      status: { $in: [...ADMITTED_STATUSES] },
      engineDueAt: null,
    });
    yield* inspect(deliveries, async ({ id }) =>
      lost('delivery', id, await describeWorkflowRun(engine, webhookWorkflowId(id), DEADLINE_MS)),
    );
  },
};

function lost(what: string, id: string, run: { outcome: string } | undefined): string | undefined {
  if (!run) return `${what} ${id} is open and has no workflow`;
  return run.outcome === 'running' ? undefined : `${what} ${id} is open, its workflow ${run.outcome}`;
}
