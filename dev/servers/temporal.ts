import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { SEARCH_ATTRIBUTES } from '../../temporal/contract/search-attributes.ts';
import { capitalised } from '../../temporal/prepare-namespace.ts';
import { assertNotHeld } from '../processes/data-holders.ts';
import type { Env, ProcessPlan } from '../processes/program.ts';

export const NAMESPACE = 'default';
/** temporal/dynamic-config.yaml as flags of the development server. */
export const DYNAMIC_CONFIG = [
  'matching.useNewMatcher=true',
  'matching.enableFairness=true',
  'matching.numTaskqueueWritePartitions=1',
  'frontend.WorkflowPauseEnabled=true',
].flatMap((value) => ['--dynamic-config-value', value]);
/**
 * By default the development server rereads its metadata from the database at every use, so that tests can change it at
 * run time: 21 reads per processed file. prepareNamespace() adds missing search attributes before the first use.
 */
const CACHED_METADATA = [
  'system.forceSearchAttributesCacheRefreshOnRead=false',
  'system.forceNexusEndpointRefreshOnRead=false',
].flatMap((value) => ['--dynamic-config-value', value]);
/**
 * Number of workflows whose state is cached in memory, for up to an hour after they close. The default of 8,096 takes
 * over a gigabyte with the garbage that GOGC allows; far fewer are active at a time, and evicted ones are reloaded from
 * the database.
 */
const CACHED_WORKFLOWS = ['--dynamic-config-value', 'history.hostLevelCacheMaxSize=2048'];
const MIB = 2 ** 20;
const SQLITE_PRAGMAS = [
  // Three times the throughput of the defaults; a crash of the machine, not of the server, can lose the last writes.
  'journal_mode=wal',
  'synchronous=normal',
  // Fewer, larger checkpoints, so that a frequently written page is copied once. The log grows to about 40 MB.
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
  const attributes = Object.values(SEARCH_ATTRIBUTES).map(({ name, type }) => `${name}=${capitalised(type)}`);
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
    // GOGC=400 uses more memory and 20 % less CPU time.
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
