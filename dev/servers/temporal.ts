import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { encodeSearchAttributeIndexedValueType } from '@temporalio/common/lib/search-attributes.js';
import { msToTs } from '@temporalio/common/lib/time.js';
import { SEARCH_ATTRIBUTES } from '../../temporal/contract/search-attributes.ts';
import { assertNotHeld } from '../processes/data-holders.ts';
import type { Env, ProcessPlan } from '../processes/process-plan.ts';

const RETENTION_DAYS = 30;
const NAMESPACE = 'default';
/** temporal/dynamic-config.yaml as flags of the development server. */
export const DYNAMIC_CONFIG = [
  'matching.useNewMatcher=true',
  'matching.enableFairness=true',
  'matching.numTaskqueueWritePartitions=1',
  'frontend.WorkflowPauseEnabled=true',
].flatMap((value) => ['--dynamic-config-value', value]);
/**
 * The development server rereads its metadata from the database at every use, so that tests may change it at run time:
 * 21 reads a file. prepareNamespace() adds missing search attributes before the first use.
 */
const CACHED_METADATA = [
  'system.forceSearchAttributesCacheRefreshOnRead=false',
  'system.forceNexusEndpointRefreshOnRead=false',
].flatMap((value) => ['--dynamic-config-value', value]);
/**
 * Workflows whose state is kept in memory, also for an hour after their end. The 8,096 of the development server take
 * over a gigabyte with the garbage of GOGC; what is at work at a time is a fraction of these, and the others are read
 * again from the database.
 */
const CACHED_WORKFLOWS = ['--dynamic-config-value', 'history.hostLevelCacheMaxSize=2048'];
const MIB = 2 ** 20;
const SQLITE_PRAGMAS = [
  // Three times the throughput of the defaults; a crash of the machine, not of the server, can lose the last writes.
  'journal_mode=wal',
  'synchronous=normal',
  // Fewer, larger checkpoints: a page that is written often is copied once. The log grows to about 40 MB.
  'wal_autocheckpoint=10000',
  // The default cache of 2 MB does not hold the indexes of a day's workflows. In KiB, hence negative.
  `cache_size=-${64 * 1024}`,
  // Pages outside the cache are read without a system call, and sorting needs no file.
  `mmap_size=${256 * MIB}`,
  'temp_store=memory',
];

export interface TemporalPorts {
  grpc: number;
  ui: number;
  http: number;
  metrics: number;
}

/** How to run Temporal's development server with its UI, on loopback, persisted to a file. */
export function planTemporal(options: {
  binary: string;
  folder: string;
  ports: TemporalPorts;
  env: Env;
  logFile: string;
}): ProcessPlan {
  const { folder, ports } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const flags = {
    ip: '127.0.0.1',
    port: ports.grpc,
    'ui-port': ports.ui,
    'http-port': ports.http,
    'metrics-port': ports.metrics,
    'db-filename': join(folder, 'temporal.db'),
    'log-level': 'warn',
  };
  const attributes = Object.values(SEARCH_ATTRIBUTES).map(({ name, type }) => `${name}=${cliType(type)}`);
  return {
    name: 'temporal',
    title: 'Temporal',
    kind: 'server',
    command: options.binary,
    args: [
      'server',
      'start-dev',
      '--ui-disable-news-fetch',
      ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]),
      ...SQLITE_PRAGMAS.flatMap((pragma) => ['--sqlite-pragma', pragma]),
      ...DYNAMIC_CONFIG,
      ...CACHED_METADATA,
      ...CACHED_WORKFLOWS,
      ...attributes.flatMap((attribute) => ['--search-attribute', attribute]),
    ],
    // The user's environment and home may configure another Temporal.
    // GOGC: memory for a fifth less CPU time.
    env: { PATH: options.env.PATH, HOME: folder, GOGC: '400' },
    cwd: folder,
    logFile: options.logFile,
    ready: async () => {
      const answer = await fetch(`http://127.0.0.1:${ports.http}/api/v1/namespaces/${NAMESPACE}`, {
        signal: AbortSignal.timeout(1_000),
      });
      return answer.ok;
    },
    readyWithinMs: 60_000,
    stopSignal: 'SIGTERM',
    stopWithinMs: 15_000,
    beforeStart: () => assertNotHeld(folder),
  };
}

/**
 * Sets the retention and the search attributes of the namespace where they differ: the server's flags for attributes
 * only apply when it creates its database.
 */
export async function prepareNamespace(address: string, signal: AbortSignal): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: '10 seconds' });
  try {
    const { workflowService, operatorService } = connection;
    const { config } = await workflowService.describeNamespace({ namespace: NAMESPACE });
    const retention = RETENTION_DAYS * 86_400;
    if (Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) !== retention) {
      await workflowService.updateNamespace({
        namespace: NAMESPACE,
        config: { workflowExecutionRetentionTtl: msToTs(retention * 1000) },
      });
    }

    const missing = async () => {
      const { customAttributes } = await operatorService.listSearchAttributes({ namespace: NAMESPACE });
      return Object.values(SEARCH_ATTRIBUTES).filter(({ name }) => !Object.hasOwn(customAttributes, name));
    };
    const toAdd = await missing();
    if (toAdd.length === 0) return;
    const searchAttributes: Record<string, number> = {};
    for (const { name, type } of toAdd) {
      const indexed = encodeSearchAttributeIndexedValueType(type);
      if (indexed !== undefined) searchAttributes[name] = indexed;
    }
    await operatorService.addSearchAttributes({ namespace: NAMESPACE, searchAttributes });
    // Listed at once, but usable only when the server has reread its metadata, seconds later.
    const query = toAdd.map(({ name }) => `${name} IS NULL`).join(' AND ');
    const usable = () =>
      workflowService.countWorkflowExecutions({ namespace: NAMESPACE, query }).then(
        () => true,
        () => false,
      );
    while (!(await usable())) await delay(100, undefined, { signal });
  } finally {
    await connection.close();
  }
}

/** KEYWORD_LIST → KeywordList. */
function cliType(type: string): string {
  const words = type.split('_').map((word) => word[0] + word.slice(1).toLowerCase());
  return words.join('');
}
