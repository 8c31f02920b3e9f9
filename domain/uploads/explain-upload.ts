import { clause } from '../printable.ts';
import type { IntentState } from './upload-intent.ts';

/** One sentence with the state of a file whose upload has not completed. */
export function explainUpload({ status, completeRequested, error }: IntentState, expiresAt: Date): string {
  const until = `until ${expiresAt.toISOString().slice(0, 19)}Z`;
  if (status === 'FAILED')
    return `The upload failed, and there is no file: ${clause(error?.message ?? 'unknown reason')}.`;
  if (completeRequested) return 'The upload is being verified: size, SHA-256 and type.';
  if (error)
    return `The upload was not accepted: ${clause(error.message)}; it can be completed again ${until}.`;
  if (status === 'UPLOADED') return `The bytes have arrived; the upload waits to be completed ${until}.`;
  return `The upload waits for its bytes ${until}.`;
}
