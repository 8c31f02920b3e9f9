import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { AppError } from '../../domain/app-error.ts';
import { EngineUnavailable, type Engine } from '../../temporal/client.ts';
import { READ_DEADLINE_MS } from '../../temporal/deadlines.ts';
import { describeRun } from '../../temporal/status/describe-run.ts';
import { isHalted } from '../../temporal/status/is-halted.ts';
import { createLastSeenOf } from '../../temporal/status/task-queues.ts';

const AT_ONCE = 10;

/** A file and the progress of its run: `seq` grows with each component that begins or ends. */
export type RunPosition = Pick<StoredFile, 'id' | 'generation' | 'seq'>;

/** Which of these documents in progress are not being read. */
export type FindHalted = (positions: readonly RunPosition[]) => Promise<RunPosition[]>;

/** WORK_IN_PROGRESS: by their rows, these documents are being read. Only the engine has the actual state. */
export class DocumentsBusy extends AppError {
  readonly positions: readonly RunPosition[];

  constructor(message: string, positions: readonly RunPosition[]) {
    super('WORK_IN_PROGRESS', message);
    this.positions = positions;
  }
}

export function isAmong(positions: readonly RunPosition[], { id, generation, seq }: RunPosition): boolean {
  return positions.some((each) => each.id === id && each.generation === generation && each.seq === seq);
}

/**
 * Deletes documents that are not being read: "409 while document text extraction or embedding is in progress", not
 * before that has begun, nor while it waits for a retry or is paused.
 *
 * @param mark deletes in one transaction, or throws DocumentsBusy for documents in progress that are not among the
 *   halted ones; called again with those that are halted according to the engine
 */
export async function unlessBusy<T>(
  findHalted: FindHalted,
  mark: (halted: readonly RunPosition[]) => Promise<T>,
): Promise<T> {
  try {
    return await mark([]);
  } catch (error) {
    if (!(error instanceof DocumentsBusy)) throw error;
    const halted = await findHalted(error.positions);
    if (halted.length === 0) throw error;
    return mark(halted);
  }
}

/**
 * For one request. Finds documents whose runs wait; once the engine is unreachable, it is not called again and only the
 * ones found so far are returned.
 */
export function createFindHalted(engine: Engine): FindHalted {
  const lastSeenOf = createLastSeenOf(engine, READ_DEADLINE_MS);
  let reachable = true;
  return async (positions) => {
    if (!reachable) return [];
    const halted: RunPosition[] = [];
    try {
      for (let from = 0; from < positions.length; from += AT_ONCE) {
        const some = positions.slice(from, from + AT_ONCE);
        const found = await Promise.all(
          some.map(async ({ id, generation }) =>
            isHalted(await describeRun(engine, id, READ_DEADLINE_MS), generation, lastSeenOf),
          ),
        );
        halted.push(...some.filter((_, at) => found[at]));
      }
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error;
      reachable = false;
    }
    return halted;
  };
}
