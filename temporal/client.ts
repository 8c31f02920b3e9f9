import { Client, Connection, isGrpcServiceError, type WorkflowClientInterceptor } from '@temporalio/client';
import type { TemporalConfig } from './config.ts';
import { connectionOptions } from './connection-options.ts';

/** The engine did not answer in time. The caller's work is not lost: rows are committed, and the sweep retries. */
export class EngineUnavailable extends Error {
  override readonly name = 'EngineUnavailable';
}

/** Transient gRPC codes: CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, INTERNAL, UNAVAILABLE. */
const TRANSIENT_CODES = new Set([1, 4, 8, 13, 14]);

/** Logged ids of the work to start or signal: `tenant_id`, `file_id` … */
export type WorkIds = Readonly<Record<`${string}_id`, string>>;

/** Called when a start or a signal did not reach the engine, and is left to the sweep. */
export type ReportUnreached = (error: EngineUnavailable, ids: WorkIds) => void;

export interface Engine {
  client: Client;
  /** Runs calls with a deadline. Throws EngineUnavailable when the engine is unreachable or too slow. */
  within<R>(milliseconds: number, calls: (client: Client) => Promise<R>): Promise<R>;
  reportUnreached: ReportUnreached;
  /** Whether histories may have the names of files. */
  historyNames: boolean;
  close(): Promise<void>;
}

/**
 * Connects lazily: creating an engine never blocks or fails, so the API boots while Temporal is down.
 *
 * @param traced passes traces on to workflows
 */
export function createEngine(
  config: TemporalConfig,
  reportUnreached: ReportUnreached = () => undefined,
  traced?: WorkflowClientInterceptor,
): Engine {
  const connection = Connection.lazy(connectionOptions(config));
  const client = new Client({
    connection,
    namespace: config.TEMPORAL_NAMESPACE,
    ...(traced && { interceptors: { workflow: [traced] } }),
  });
  return {
    client,
    async within(milliseconds, calls) {
      try {
        return await client.withDeadline(Date.now() + milliseconds, () => calls(client));
      } catch (error) {
        throw unavailable(error) ?? error;
      }
    },
    reportUnreached,
    historyNames: config.HISTORY_NAMES ?? true,
    close: () => connection.close(),
  };
}

function unavailable(error: unknown): EngineUnavailable | undefined {
  const cause = error instanceof Error && isGrpcServiceError(error.cause) ? error.cause : error;
  if (isGrpcServiceError(cause) && TRANSIENT_CODES.has(cause.code)) {
    return new EngineUnavailable('the workflow engine cannot be reached', { cause: error });
  }
  return undefined;
}
