import { ApiError, DarkroomError, isRetryable } from '../../sdk/src/index.ts';
import { UsageError } from '../shared/usage-error.ts';
import { findApi } from '../shared/find-api.ts';
import { journalPath } from './journal.ts';
import { HELP, readOptions } from './options.ts';
import { createProgress } from './progress.ts';
import { failureTable, summaryLine, Tally } from './tally.ts';
import { findFolder, runIngest } from './run-ingest.ts';
import { listenForStop } from '../../dev/launcher/stop-signals.ts';
import { runCommand } from '../shared/run-command.ts';

/** `npm run ingest -- DIR`: uploads a folder through the public API. See HELP. */
const AGAIN = 'Run the same command to continue; it sends only the rest.';
const STOPPED = 130;

const { env } = process;
const underNpm = env['npm_lifecycle_event'] !== undefined;
const stopping = listenForStop(underNpm);
stopping.kill.addEventListener('abort', () => process.exit(STOPPED));
const began = performance.now();
const progress = createProgress(process.stderr);
const tally = new Tally();
let total: number | undefined;
let skipped = 0;

function prepare() {
  const options = readOptions(process.argv.slice(2));
  if (!options) return undefined;
  // npm runs scripts in the folder of package.json, wherever it was called from.
  const folder = findFolder(options.folder, (underNpm && env['INIT_CWD']) || process.cwd());
  const target = findApi(options, env);
  return { options, folder, target, statePath: options.state ?? journalPath(folder, target.url, env) };
}

/** Returns the exit code, undefined for --help. */
async function main(): Promise<number | undefined> {
  const prepared = prepare();
  if (!prepared) return undefined;
  const signal = stopping.stop;
  const onWalked = (files: number, others: number) => ([total, skipped] = [files, others]);
  try {
    await runIngest({ ...prepared, progress, tally, signal, onWalked });
  } catch (error) {
    progress.end();
    if (error instanceof UsageError) throw error;
    if (total !== undefined) printResult(total);
    if (signal.aborted) {
      console.log(`Stopped. ${AGAIN}`);
      return STOPPED;
    }
    console.error(`${explain(error)} ${AGAIN}`);
    return 1;
  }
  printResult(total ?? 0);
  return tally.count('failed') + tally.count('rejected') > 0 ? 1 : 0;
}

function printResult(files: number): void {
  for (const row of failureTable(tally)) console.log(row);
  if (skipped > 0) console.log(`${skipped} skipped: FIFOs, sockets and devices are not sent.`);
  console.log(summaryLine(tally, files, performance.now() - began));
}

function explain(error: unknown): string {
  if (error instanceof DarkroomError && isRetryable(error)) {
    return `The API has been unavailable for too long: ${error.message}.`;
  }
  if (error instanceof ApiError) return `The API refused the request: ${error.message} (${error.code}).`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

await runCommand(HELP, main);
