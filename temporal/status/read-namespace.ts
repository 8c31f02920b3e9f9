import { isGrpcServiceError } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';
import type { Engine } from '../client.ts';
import { SEARCH_ATTRIBUTES } from '../contract/search-attributes.ts';

/** Histories are read for status and timeline; after this time, only the rows are left. */
export const RETENTION_DAYS = 30;
const DAY_MS = 86_400_000;
const INVALID_ARGUMENT = 3;
const NOT_FOUND = 5;

/** State of a namespace, compared with our needs. */
export interface NamespaceFacts {
  exists: boolean;
  /** Whole days that histories are kept; 0 if it does not exist. */
  retentionDays: number;
  /** Names of search attributes that cannot be used yet; all if it does not exist. */
  missingAttributes: string[];
  /** False while its servers have not learned of a new namespace. */
  answersQueries: boolean;
  /** Whether operators may pause a whole workflow. */
  pausesWorkflows: boolean;
}

/**
 * Reads the state of the namespace by calls that every account may make: an attribute exists if a query may name it.
 *
 * @throws EngineUnavailable after `milliseconds`
 */
export async function readNamespace(engine: Engine, milliseconds: number): Promise<NamespaceFacts> {
  const { namespace } = engine.client.options;
  const { workflowService } = engine.client;
  const names = Object.values(SEARCH_ATTRIBUTES).map(({ name }) => name);
  const usable = (query: string) =>
    engine
      .within(milliseconds, () => workflowService.countWorkflowExecutions({ namespace, query }))
      .then(() => true, unless(INVALID_ARGUMENT));

  const found = await engine
    .within(milliseconds, () => workflowService.describeNamespace({ namespace }))
    .catch(unless(NOT_FOUND));
  if (!found) {
    return {
      exists: false,
      retentionDays: 0,
      missingAttributes: names,
      answersQueries: false,
      pausesWorkflows: false,
    };
  }
  const answersQueries = await usable('').catch(unless(NOT_FOUND));
  const all = answersQueries && (await usable(names.map((name) => `${name} IS NULL`).join(' AND ')));
  const missing =
    all || !answersQueries ? [] : await Promise.all(names.map((name) => usable(`${name} IS NULL`)));
  const retention = found.config?.workflowExecutionRetentionTtl;
  return {
    exists: true,
    retentionDays: Math.floor((retention ? tsToMs(retention) : 0) / DAY_MS),
    missingAttributes: answersQueries ? names.filter((_, index) => missing[index] === false) : names,
    answersQueries,
    pausesWorkflows: found.namespaceInfo?.capabilities?.workflowPause ?? false,
  };
}

/** False for an answer with that gRPC code. */
function unless(code: number): (error: unknown) => false {
  return (error) => {
    if (isGrpcServiceError(error) && [code].includes(error.code)) return false;
    throw error;
  };
}
