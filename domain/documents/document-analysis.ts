import { isTerminal, type Components, type FailureReason } from '../components.ts';

/** The outcome of a document's analysis, and its end time (ISO 8601). */
export type DocumentAnalysisEnd = { endedAt: string | undefined } & (
  | { status: 'completed' | 'partially_completed' }
  | { status: 'failed'; reason: FailureReason }
);

const CANCELLED: FailureReason = { code: 'CANCELLED', message: 'the work was cancelled' };

/**
 * The outcome of a document's analysis, which ends with its text and chunks; its description and extraction are not
 * waited for. If the text was read, the analysis has a result even if chunking failed.
 *
 * @returns undefined while it continues
 */
export function endOfDocumentAnalysis({
  text_extraction: text,
  digitization,
}: Components): DocumentAnalysisEnd | undefined {
  if (!text || !isTerminal(text.status)) return undefined;
  if (text.status !== 'completed') {
    return { status: 'failed', endedAt: text.endedAt, reason: text.error ?? CANCELLED };
  }
  if (digitization && !isTerminal(digitization.status)) return undefined;
  const isWhole =
    !text.error && (!digitization || (digitization.status === 'completed' && !digitization.error));
  return {
    status: isWhole ? 'completed' : 'partially_completed',
    endedAt: [text.endedAt, digitization?.endedAt]
      .flatMap((at) => at ?? [])
      .toSorted()
      .at(-1),
  };
}
