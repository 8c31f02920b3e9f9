import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import type {
  ComponentProgress,
  readProcessingStatus,
} from '../../../services/processing/read-processing-status.ts';
import type { UploadStatus } from '../../../services/processing/read-unified-status.ts';
import { fileWorkflowId } from '../../../temporal/contract/ids.ts';
import { presentStatusFields } from './component-fields.ts';

/** The unified upload status of one file. */
export function presentUploadStatus(status: UploadStatus) {
  const { file, progress, unified, isTerminal, stuck, lastError, completedAt, processingMs } = status;
  const { components, primaryStatus } = progress;
  return {
    file_id: file.id,
    session_id: file.sessionId ?? null,
    unified_status: unified,
    component_statuses: {
      ...presentStatusFields(file.mediaType, components),
      upload_status: 'completed',
      processing_status: primaryStatus,
    },
    processing_ids: [fileWorkflowId(file.id)],
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

/** Each component of a file with its steps. */
export function presentProcessingStatus(
  file: StoredFile,
  { timeline, components }: Awaited<ReturnType<typeof readProcessingStatus>>,
) {
  return {
    file_id: file.id,
    media_type: file.mediaType,
    primary_status: timeline.progress.primaryStatus,
    components: Object.fromEntries(
      components.map((component) => [component.name, presentComponent(component)]),
    ),
    explanation: timeline.explanation,
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
