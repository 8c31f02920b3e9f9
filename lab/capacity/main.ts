import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFlags, wholeNumber } from '../../cli/shared/flags.ts';
import { runCommand } from '../../cli/shared/run-command.ts';
import { UsageError } from '../../cli/shared/usage-error.ts';
import { readJson } from '../../dev/processes/json-file.ts';
import { createBar } from '../shared/bar.ts';
import { onDisposableStack } from '../shared/on-disposable-stack.ts';
import { startCountingProxy } from './counting-proxy.ts';
import { deriveTables } from './derive.ts';
import { report } from './report.ts';
import { runCapacity, WARM_UP } from './run-capacity.ts';
import { makeWorkloads, PAGES_A_DOCUMENT, PAGES_A_SCAN } from './workloads.ts';

const HELP = `Usage: npm run capacity -- [options]

Measures on a disposable stack what one image and one page cost: CPU time of each process, statements and bytes of Postgres,
requests and bytes of the store, events and bytes of histories, vectors. docs/scaling.md computes with these figures. On a
busy machine a run takes longer, and the idle share that is subtracted from CPU times and statements grows with it: use many files
and a quiet machine. Linux only.

  --images N     images of each of two sizes (default 60)
  --documents N  documents of ${PAGES_A_DOCUMENT} pages with a text layer (default 12)
  --scans N      scanned documents of ${PAGES_A_SCAN} pages (default 4)
  --apis N       processes of the API (default 1)
  --workers N    processes of each kind of worker (default 1)
  --keep         keeps the data and the logs
  --help

Exit code: 0 all files were processed, 2 the run could not be completed.`;
const FLAGS = {
  images: { type: 'string', default: '60' },
  documents: { type: 'string', default: '12' },
  scans: { type: 'string', default: '4' },
  apis: { type: 'string', default: '1' },
  workers: { type: 'string', default: '1' },
  keep: { type: 'boolean', default: false },
} as const;

await runCommand(HELP, async () => {
  const given = readFlags(process.argv.slice(2), FLAGS);
  if (!given) return undefined;
  const counts = {
    images: wholeNumber('--images', given.values.images, 0, 100_000),
    documents: wholeNumber('--documents', given.values.documents, 0, 10_000),
    scans: wholeNumber('--scans', given.values.scans, 0, 10_000),
  };
  const processes = {
    apis: wholeNumber('--apis', given.values.apis, 1, 16),
    workers: wholeNumber('--workers', given.values.workers, 1, 16),
  };
  if (process.platform !== 'linux')
    throw new UsageError('This command reads the CPU time of processes from /proc, which only Linux has.');
  const workloads = await makeWorkloads(counts, WARM_UP);

  const home = mkdtempSync(join(tmpdir(), 'darkroom-'));
  // The port of the store is chosen when the stack starts, and its first request comes after that.
  let store: URL | undefined;
  const requests = await startCountingProxy(() => {
    store ??= new URL(`http://127.0.0.1:${(readJson(join(home, 'ports.json')) as { s3: number }).s3}`);
    return store;
  });
  const S3_ENDPOINT = requests.url;
  const apps = ['api', 'worker', 'worker-cpu', 'worker-ocr'] as const;
  const appEnv = Object.fromEntries(apps.map((name) => [name, { S3_ENDPOINT }]));
  const env = { ...process.env, LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'warn' };
  const { keep } = given.values;
  try {
    return await onDisposableStack(env, { keep, home, appEnv }, async (stack, signal) => {
      const files = workloads.reduce((sum, workload) => sum + workload.files.length, 0);
      const bar = createBar(process.stderr, files);
      const options = { stack, env, workloads, requests, counts: processes, bar, signal };
      const result = await runCapacity(options).finally(() => bar.end());
      console.log(report(result));
      const tables = deriveTables(result.workloads);
      if (tables !== undefined) console.log(`\nDerived, as in docs/scaling.md:\n\n${tables}`);
      return 0;
    });
  } finally {
    requests.close();
  }
});
