import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { AppError } from '../../domain/app-error.ts';
import { EngineUnavailable, type Engine } from '../../temporal/client.ts';
import { READ_DEADLINE_MS } from '../../temporal/deadlines.ts';
import { describeRun } from '../../temporal/status/describe-run.ts';
import { isHalted } from '../../temporal/status/is-halted.ts';

const AT_ONCE = 10;

/** A file, and how far its run is: `seq` grows with each component that begins or ends. */
export type RunPosition = Pick<StoredFile, 'id' | 'generation' | 'seq'>;

/** WORK_IN_PROGRESS: by their rows, these documents are being read. Whether they are, the engine knows. */
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
 * while it waits for a retry or is paused.
 *
 * @param mark deletes in one transaction, or throws DocumentsBusy for documents in progress that are not among the
 *   halted ones; called again with those that the engine says are
 */
export async function unlessRead<T>(
  engine: Engine,
  mark: (halted: readonly RunPosition[]) => Promise<T>,
): Promise<T> {
  try {
    return await mark([]);
  } catch (error) {
    if (!(error instanceof DocumentsBusy)) throw error;
    const halted = await findHalted(engine, error.positions);
    if (halted.length === 0) throw error;
    return mark(halted);
  }
}

/** Those whose runs wait; only those known so far when the engine cannot be reached. */
async function findHalted(engine: Engine, positions: readonly RunPosition[]): Promise<RunPosition[]> {
  const halted: RunPosition[] = [];
  try {
    for (let from = 0; from < positions.length; from += AT_ONCE) {
      const some = positions.slice(from, from + AT_ONCE);
      const runs = await Promise.all(some.map(({ id }) => describeRun(engine, id, READ_DEADLINE_MS)));
      halted.push(
        ...some.filter(({ generation }, at) => {
          const run = runs[at];
          return run?.generation === generation && isHalted(run);
        }),
      );
    }
  } catch (error) {
    if (!(error instanceof EngineUnavailable)) throw error;
  }
  return halted;
}
