import type { UploadIntent } from '../../../db/entities/uploads/upload-intent.ts';
import {
  applyIntentEvent,
  type IntentEvent,
  type IntentState,
} from '../../../domain/uploads/upload-intent.ts';

/**
 * Applies an event to an intent whose row is locked; the caller's transaction persists it.
 *
 * @returns whether it changed anything
 */
export function changeUpload(intent: UploadIntent, event: IntentEvent, now = new Date()): boolean {
  const before: IntentState = {
    status: intent.status,
    completeRequested: intent.completeRequestedAt !== null,
    error: intent.error ?? null,
  };
  const after = applyIntentEvent(before, event);
  if (after === before) return false;
  intent.status = after.status;
  intent.error = after.error;
  intent.completeRequestedAt = after.completeRequested ? (intent.completeRequestedAt ?? now) : null;
  intent.updatedAt = now;
  return true;
}
