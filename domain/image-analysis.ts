import { isTerminal, firstFailure, type Components, type FailureReason } from './components.ts';
import { isTerminalPrimary, primaryStatus } from './primary-status.ts';

/** The outcome of an image's analysis, and its end time (ISO 8601). */
export type AnalysisEnd = { endedAt: string | undefined } & (
  | { status: 'completed' }
  | { status: 'failed'; reason: FailureReason }
);

const CANCELLED: FailureReason = { code: 'CANCELLED', message: 'the work was cancelled' };

/**
 * The outcome of an image's analysis, which ends with its description; later steps, including its index entry, are not
 * waited for. Without a requested description, it ends with all processing of the image.
 *
 * @param describedAt when this run stored the description, if it has
 * @returns undefined while it continues
 */
export function endOfAnalysis(
  components: Components,
  describedAt: Date | undefined,
): AnalysisEnd | undefined {
  const { description } = components;
  if (describedAt) return { status: 'completed', endedAt: describedAt.toISOString() };
  if (!description || description.cause === 'by_request') return endOfProcessing(components);
  const { status, endedAt, error } = description;
  if (!isTerminal(status)) return undefined;
  if (status === 'completed') return { status, endedAt };
  return { status: 'failed', endedAt, reason: error ?? reasonOf(components) };
}

function endOfProcessing(components: Components): AnalysisEnd | undefined {
  const status = primaryStatus(components);
  if (!isTerminalPrimary(status)) return undefined;
  const ends = Object.values(components).flatMap(({ endedAt }) => endedAt ?? []);
  const endedAt = ends.toSorted().at(-1);
  if (status !== 'failed') return { status: 'completed', endedAt };
  return { status, endedAt, reason: reasonOf(components) };
}

function reasonOf(components: Components): FailureReason {
  return firstFailure({ mediaType: 'image', components })?.[1].error ?? CANCELLED;
}
