import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import { ApiError, ConnectionError, Darkroom, type Data } from '../../sdk/src/index.ts';
import { readJson } from '../../dev/processes/json-file.ts';
import type { RunInfo } from '../../dev/launcher/home.ts';
import { type FailureReason, entries } from '../../domain/components.ts';
import { applyFileEvent } from '../../domain/file-events.ts';
import { type Engine, createEngine } from '../../temporal/client.ts';
import { describeRun } from '../../temporal/status/describe-run.ts';
import { fetchFoldedRun, withPendingSteps } from '../../temporal/status/fetch-history.ts';
import { UsageError } from '../shared/usage-error.ts';
import { readFlags } from '../shared/flags.ts';
import { runCommand } from '../shared/run-command.ts';

const HELP = `Usage: npm run status -- FILE_ID [--run RUN_JSON]

Reads the status of a file from the API and, independently, from the engine, and prints both. RUN_JSON is the run.json
of a stack other than the default one on this machine.

Exit code: 0 they agree, 1 they differ, 2 they cannot be compared.`;
const DEADLINE_MS = 5000;
/** While a file is being processed, one side may be ahead: only a lasting difference counts. */
const ATTEMPTS = { most: 6, pauseMs: 500 };

/** One line per component, and one for the whole run. */
type Side = Record<string, string>;
class NotComparable extends UsageError {
  constructor(why: string) {
    super(`Not comparable: ${why}.`);
  }
}
type Timeline = Data<'/files/{file_id}/timeline', 'get'>;

async function askApi({ api_url: baseUrl, api_key: apiKey }: RunInfo, id: string): Promise<Timeline> {
  const { api } = new Darkroom({ baseUrl, apiKey, retries: 0, timeoutMs: DEADLINE_MS });
  const params = { path: { file_id: id } };
  const { data } = await api.GET('/files/{file_id}/timeline', { params }).catch((error: unknown) => {
    if (error instanceof ConnectionError) throw new NotComparable(`the API at ${baseUrl} cannot be reached`);
    if (error instanceof ApiError)
      throw new NotComparable(`the API answered ${error.status}: ${error.message}`);
    throw error;
  });
  return data;
}

function sideOfApi({ components, runs }: Timeline): Side {
  const run = runs.at(-1);
  const side: Side = { run: run ? `generation ${run.generation}, ${run.outcome}` : 'none' };
  for (const [name, { status, error }] of Object.entries(components)) {
    const step = run?.steps.findLast(({ component }) => component === name);
    side[name] = words(status, step?.attempt, error ?? step?.error);
  }
  return side;
}

/** The newest run, folded from its history; describe adds the running attempts, which have no event yet. */
async function askEngine(engine: Engine, fileId: string): Promise<Side> {
  const view = await describeRun(engine, fileId, DEADLINE_MS);
  const folded =
    view && (await fetchFoldedRun(engine, fileId, view.runId, DEADLINE_MS).catch(unlessForgotten));
  if (!folded)
    throw new NotComparable('the engine has no history of this file: not started, or past its retention');
  if (folded.superseded) {
    throw new NotComparable('the newest run found the file closed and changed nothing');
  }
  const { components } = folded;
  const timeline = withPendingSteps(folded.timeline, view.pending);
  const open = view.outcome === 'running' ? view.pending : [];
  const at = new Date().toISOString();
  const live = open
    .flatMap(({ begun }) => begun)
    .reduce((all, component) => applyFileEvent(all, { type: 'step_started', component, at }), components);
  const side: Side = { run: `generation ${view.generation}, ${view.outcome}` };
  for (const [name, { status, error }] of entries(live)) {
    const step = timeline.steps.findLast(({ component }) => component === name);
    side[name] = words(status, step?.attempt, error ?? step?.error);
  }
  return side;
}

function unlessForgotten(error: unknown): undefined {
  if (!(error instanceof WorkflowNotFoundError)) throw error;
}

function words(status: string, attempt = 0, error?: FailureReason | null): string {
  return [status, attempt > 0 && `attempt ${attempt}`, error?.code].filter(Boolean).join(', ');
}

/** Prints both sides; returns whether they agree. */
async function compare(run: RunInfo, engine: Engine, id: string): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    const api = await askApi(run, id);
    const [ours, theirs] = [sideOfApi(api), await askEngine(engine, api.file_id)];
    const names = Object.keys({ ...ours, ...theirs });
    const different = names.filter((name) => ours[name] !== theirs[name]);
    if (different.length === 0 || attempt === ATTEMPTS.most) {
      const row = (a: string, b = 'absent', c = 'absent') =>
        console.log(`  ${a.padEnd(14)}${b.padEnd(48)}${c}`);
      console.log(`File ${api.file_id}: ${api.primary_status}. ${api.explanation}\n`);
      row('', 'API', 'history');
      for (const name of names) row(name, ours[name], theirs[name]);
      console.log(different.length > 0 ? `\nThey differ: ${different.join(', ')}.` : '\nThey agree.');
      return different.length === 0;
    }
    await delay(ATTEMPTS.pauseMs);
  }
}

await runCommand(HELP, async () => {
  const given = readFlags(process.argv.slice(2), { run: { type: 'string' } }, 1);
  if (!given) return undefined;
  const [fileId] = given.positionals;
  if (!fileId) throw new UsageError('No file id given. Usage: npm run status -- FILE_ID');
  const runFile = given.values.run ?? join(process.env.DARKROOM_HOME ?? '.darkroom', 'run.json');
  const run = readJson(runFile) as RunInfo | undefined;
  if (!run) throw new UsageError(`${runFile} not found: is the stack running?`);
  const engine = createEngine({
    TEMPORAL_ADDRESS: run.temporal_address,
    TEMPORAL_NAMESPACE: run.temporal_namespace,
  });
  try {
    return (await compare(run, engine, fileId)) ? 0 : 1;
  } finally {
    await engine.close();
  }
});
