import { isGrpcServiceError } from '@temporalio/client';
import { encodeSearchAttributeIndexedValueType } from '@temporalio/common/lib/search-attributes.js';
import { msToTs } from '@temporalio/common/lib/time.js';
import { setTimeout as delay } from 'node:timers/promises';
import type { Engine } from './client.ts';
import { SEARCH_ATTRIBUTES } from './contract/search-attributes.ts';
import { COMMAND_DEADLINE_MS } from './deadlines.ts';
import { readNamespace, RETENTION_DAYS, type NamespaceFacts } from './status/read-namespace.ts';

const DAY_MS = 86_400_000;
const ALREADY_EXISTS = new Set([6]);
/** PERMISSION_DENIED, UNIMPLEMENTED, UNAUTHENTICATED: a managed engine keeps these calls to its own tools. */
const REFUSED = new Set([7, 12, 16]);

/** The account may not change the namespace. The message has the commands for an administrator who may. */
export class NamespaceRefused extends Error {
  override readonly name = 'NamespaceRefused';
}

/**
 * Creates the namespace if it is missing, lengthens its retention to 30 days, and adds the search attributes that it
 * lacks. Resolves when all of it is usable. Safe to repeat and to run concurrently.
 *
 * @returns the changes, one line each
 * @throws NamespaceRefused; EngineUnavailable; the signal's reason
 */
export async function prepareNamespace(engine: Engine, signal: AbortSignal): Promise<string[]> {
  const { namespace } = engine.client.options;
  const within = <R>(call: () => Promise<R>) => engine.within(COMMAND_DEADLINE_MS, call);
  const changes: string[] = [];
  let facts = await readNamespace(engine, COMMAND_DEADLINE_MS);
  try {
    if (!facts.exists) {
      const workflowExecutionRetentionPeriod = msToTs(RETENTION_DAYS * DAY_MS);
      await within(() =>
        engine.client.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod }),
      ).catch(unlessExists);
      changes.push(`created the namespace ${namespace}`);
      // Each server sees it after its next refresh.
      facts = await until(engine, signal, ({ exists, answersQueries }) => exists && answersQueries);
    }
    if (facts.retentionDays < RETENTION_DAYS) {
      const config = { workflowExecutionRetentionTtl: msToTs(RETENTION_DAYS * DAY_MS) };
      await within(() => engine.client.workflowService.updateNamespace({ namespace, config }));
      changes.push(`retention is ${RETENTION_DAYS} days, was ${facts.retentionDays}`);
    }
    if (facts.missingAttributes.length > 0) {
      const missing = Object.values(SEARCH_ATTRIBUTES).filter(({ name }) =>
        facts.missingAttributes.includes(name),
      );
      const searchAttributes: Record<string, number> = {};
      for (const { name, type } of missing) {
        const indexed = encodeSearchAttributeIndexedValueType(type);
        if (indexed !== undefined) searchAttributes[name] = indexed;
      }
      await within(() =>
        engine.client.connection.operatorService.addSearchAttributes({ namespace, searchAttributes }),
      ).catch(unlessExists);
      changes.push(`added the search attributes ${facts.missingAttributes.join(', ')}`);
      // Listed at once, but usable only when the server has reread its metadata, seconds later.
      await until(engine, signal, ({ missingAttributes }) => missingAttributes.length === 0);
    }
  } catch (error) {
    if (!isGrpcServiceError(error) || !REFUSED.has(error.code)) throw error;
    throw new NamespaceRefused(explainRefusal(namespace, facts, error.details), { cause: error });
  }
  return changes;
}

/** The commands that create whatever the namespace lacks, for an administrator of the engine. */
export function namespaceCommands(
  namespace: string,
  { exists, retentionDays, missingAttributes }: NamespaceFacts,
): string[] {
  const missing = Object.values(SEARCH_ATTRIBUTES).filter(({ name }) => missingAttributes.includes(name));
  const short = retentionDays < RETENTION_DAYS;
  return [
    ...(exists ? [] : [`temporal operator namespace create -n ${namespace} --retention ${RETENTION_DAYS}d`]),
    ...(exists && short
      ? [`temporal operator namespace update -n ${namespace} --retention ${RETENTION_DAYS}d`]
      : []),
    ...missing.map(
      ({ name, type }) =>
        `temporal operator search-attribute create -n ${namespace} --name ${name} --type ${capitalised(type)}`,
    ),
  ];
}

function explainRefusal(namespace: string, facts: NamespaceFacts, reason: string): string {
  const cloud = Object.values(SEARCH_ATTRIBUTES)
    .filter(({ name }) => facts.missingAttributes.includes(name))
    .map(({ name, type }) => `--sa "${name}=${capitalised(type)}"`);
  return [
    `This account may not prepare the namespace ${namespace} (${reason}). An administrator should run:`,
    ...namespaceCommands(namespace, facts),
    'or, for Temporal Cloud, create the namespace and its retention in its console, and run:',
    `tcld namespace search-attributes add -n ${namespace} ${cloud.join(' ')}`,
  ].join('\n  ');
}

async function until(
  engine: Engine,
  signal: AbortSignal,
  reached: (facts: NamespaceFacts) => boolean,
): Promise<NamespaceFacts> {
  for (;;) {
    const facts = await readNamespace(engine, COMMAND_DEADLINE_MS);
    if (reached(facts)) return facts;
    await delay(100, undefined, { signal });
  }
}

/** Another process did it first. */
function unlessExists(error: unknown): void {
  if (!isGrpcServiceError(error) || !ALREADY_EXISTS.has(error.code)) throw error;
}

/** KEYWORD_LIST → KeywordList, as the commands spell types. */
export function capitalised(type: string): string {
  return type
    .split('_')
    .map((word) => word[0] + word.slice(1).toLowerCase())
    .join('');
}
