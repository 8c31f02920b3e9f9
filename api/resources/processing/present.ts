import type { z } from 'zod';
import type { EntityManager } from '@mikro-orm/postgresql';
import { entries } from '../../../domain/components.ts';
import { failureKind } from '../../../domain/failure-kind.ts';
import type { TimelineRun, TimelineStep } from '../../../domain/timeline.ts';
import type { FileObservation } from '../../../services/processing/observe-file.ts';
import {
  processingStatusOf,
  type ComponentProgress,
} from '../../../services/processing/processing-status-of.ts';
import { timelineOf, type FileTimelineView } from '../../../services/processing/timeline-of.ts';
import type { UploadStatus } from '../../../services/processing/unified-status-of.ts';
import { presentStatusFields } from '../component-fields.ts';
import { presenterOf } from '../media.ts';
import type { processingStatus, timelineAnswer, uploadStatus } from './schema.ts';
import { DIRECT_UPLOAD_WORKFLOWS } from '../../../temporal/contract/direct-upload.ts';
import { FILE_WORKFLOWS } from '../../../temporal/contract/process-file.ts';

/** The unified upload status of one file. */
export function presentUploadStatus(status: UploadStatus): z.input<typeof uploadStatus> {
  const { file, progress, unified, isTerminal, stuck, lastError, completedAt, processingMs } = status;
  const { components, primaryStatus } = progress;
  return {
    file_id: file.id,
    session_id: file.sessionId ?? null,
    unified_status: unified,
    failure_kind: failureKind(components),
    component_statuses: {
      ...presentStatusFields(file.mediaType, components),
      upload_status: uploadStatusOf(progress),
      processing_status: primaryStatus,
    },
    processing_ids: [workflowIdOf(progress)],
    error_message: lastError?.message ?? null,
    last_error_at: lastError?.at?.toISOString() ?? null,
    created_at: file.createdAt.toISOString(),
    last_updated_at: file.updatedAt.toISOString(),
    completed_at: completedAt?.toISOString() ?? null,
    retry_count: file.retries,
    processing_duration_seconds: processingMs / 1000,
    is_stuck: stuck !== undefined,
    is_terminal: isTerminal,
    cause: stuck?.cause ?? null,
    last_sign_of_life_at: stuck?.lastSignOfLifeAt.toISOString() ?? null,
  };
}

function uploadStatusOf({ upload }: FileObservation) {
  if (!upload) return 'completed';
  if (upload.status === 'FAILED') return 'failed';
  return upload.completeRequestedAt ? 'processing' : 'pending';
}

/** The workflow that works on the file, or on its upload. */
function workflowIdOf({ file, upload }: FileObservation): string {
  return upload ? DIRECT_UPLOAD_WORKFLOWS.of(upload.id) : FILE_WORKFLOWS.of(file.id);
}

/** Each component of an observed file with its steps, and the fields of its medium. */
export async function presentProcessingStatus(
  em: EntityManager,
  seen: FileObservation,
): Promise<z.input<typeof processingStatus>> {
  const { file } = seen;
  const timeline = await timelineOf(em, seen);
  const components = processingStatusOf(seen, timeline);
  return {
    file_id: file.id,
    media_type: file.mediaType,
    primary_status: seen.primaryStatus,
    failure_kind: failureKind(seen.components),
    components: Object.fromEntries(
      components.map((component) => [component.name, presentComponent(component)]),
    ),
    explanation: timeline.explanation,
    ...(await presenterOf(file).processingStatus?.(em, timeline, components)),
  };
}

function presentComponent({ steps, status, attempt, startedAt, completedAt, error }: ComponentProgress) {
  return {
    status,
    attempt,
    started_at: startedAt ?? null,
    completed_at: completedAt ?? null,
    error_message: error ?? null,
    steps: steps.map((step) => ({
      step: step.step,
      title: step.title,
      status: step.status,
      attempt: step.attempt,
      started_at: step.startedAt ?? null,
      completed_at: step.endedAt ?? null,
      error_message: step.error ?? null,
    })),
  };
}

/**
 * Every run of a file's workflow, and the sentence that explains its current state.
 *
 * @param workflowUrl links to a workflow by its id, as far as the caller may see them
 */
export function presentTimeline(
  { progress, explanation, runs }: FileTimelineView,
  workflowUrl: (workflowId: string) => string | null,
): z.input<typeof timelineAnswer> {
  const workflowId = workflowIdOf(progress);
  return {
    file_id: progress.file.id,
    workflow_id: workflowId,
    workflow_url: workflowUrl(workflowId),
    primary_status: progress.primaryStatus,
    components: Object.fromEntries(
      entries(progress.components).map(([name, { status, error }]) => [
        name,
        { status, error: error ?? null },
      ]),
    ),
    explanation,
    runs: runs.map(presentRun),
  };
}

function presentRun(run: TimelineRun): z.input<typeof timelineAnswer>['runs'][number] {
  return {
    generation: run.generation,
    run_id: run.runId,
    trace_id: run.traceId ?? null,
    outcome: run.outcome,
    started_at: run.startedAt,
    ended_at: run.endedAt ?? null,
    reason: run.reason ?? null,
    steps: run.steps.map(presentStep),
  };
}

function presentStep(step: TimelineStep): z.input<typeof timelineAnswer>['runs'][number]['steps'][number] {
  const ran = step.startedAt && step.endedAt;
  return {
    step: step.step,
    component: step.component,
    attempt: step.attempt,
    outcome: step.outcome,
    scheduled_at: step.scheduledAt,
    started_at: step.startedAt ?? null,
    ended_at: step.endedAt ?? null,
    duration_ms: ran ? Date.parse(step.endedAt ?? '') - Date.parse(step.startedAt ?? '') : null,
    error: step.error ?? null,
    operator_pause: step.operatorPause
      ? {
          since: step.operatorPause.since ?? null,
          identity: step.operatorPause.identity ?? null,
          reason: step.operatorPause.reason ?? null,
        }
      : null,
  };
}
