/** One attempt at work that pays for an answer, see `attempt` of the activities. */
export interface PaidAttempt {
  signal: AbortSignal;
  /** What an earlier attempt has kept. */
  kept?: unknown;
  /** Keeps something small for the next attempt, wherever that runs. */
  keep?: (answer: unknown) => void;
}

/**
 * Asks for an answer and stores it, and pays for no answer twice: one that could not be stored, since the database was
 * away, is kept for the next attempt. What is left is a worker that is killed between the reply and the commit.
 *
 * @param ask its answer must survive JSON
 */
export async function storePaidAnswer<T>(
  { kept, keep }: PaidAttempt,
  ask: () => Promise<T>,
  store: (answer: T) => Promise<void>,
): Promise<void> {
  const answer = kept === undefined ? await ask() : (kept as T);
  try {
    await store(answer);
  } catch (error) {
    keep?.(answer);
    throw error;
  }
}
