import { setTimeout as delay } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import { ApiError, ConnectionError, Darkroom, type Data } from '../../sdk/src/index.ts';
import { presentTimeline } from '../../api/resources/processing/present.ts';
import { databaseConfig } from '../../db/config.ts';
import { createOrm, type Orm } from '../../db/create-orm.ts';
import { AppError } from '../../domain/app-error.ts';
import { type FailureReason, entries } from '../../domain/components.ts';
import { applyFileEvent } from '../../domain/file-events.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { registerMedia } from '../../services/all-media.ts';
import { findFileOfAnyTenant } from '../../services/files/find-file.ts';
import { observeFile } from '../../services/processing/observe-file.ts';
import { timelineOf } from '../../services/processing/timeline-of.ts';
import { type Engine, createEngine } from '../../temporal/client.ts';
import { temporalConfig } from '../../temporal/config.ts';
import { describeRun } from '../../temporal/status/describe-run.ts';
import { fetchFoldedRun, withPendingSteps } from '../../temporal/status/fetch-history.ts';
import { findApi, type ApiTarget } from '../shared/find-api.ts';
import { UsageError } from '../shared/usage-error.ts';
import { readFlags } from '../shared/flags.ts';
import { runCommand } from '../shared/run-command.ts';
import { stackEnv } from '../shared/stack-env.ts';

const HELP = `Usage: npm run status -- FILE_ID [--url URL --key KEY]

Reads the status of a file, of any tenant, from the database and, independently, from the engine, and prints both. Uses the
servers in the environment (DATABASE_URL, TEMPORAL_ADDRESS and so on, as in a container of the service), or else the stack on
this machine. With --url and --key (or DARKROOM_KEY), the status is read from that API instead, and only shown if
TEMPORAL_ADDRESS names no engine.

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

/** The status of a file as users see it, from the API or from the rows that it reads. */
type AskService = (fileId: string) => Promise<Timeline>;

function askApi({ url: baseUrl, key: apiKey }: ApiTarget): AskService {
  const { api } = new Darkroom({ baseUrl, apiKey, retries: 0, timeoutMs: DEADLINE_MS });
  return async (fileId) => {
    const params = { path: { file_id: fileId } };
    const { data } = await api.GET('/files/{file_id}/timeline', { params }).catch((error: unknown) => {
      if (error instanceof ConnectionError)
        throw new NotComparable(`the API at ${baseUrl} cannot be reached`);
      if (error instanceof ApiError)
        throw new NotComparable(`the API answered ${error.status}: ${error.message}`);
      throw error;
    });
    return data;
  };
}

function askRows(orm: Orm, engine: Engine): AskService {
  registerMedia();
  return async (fileId) => {
    const em = orm.em.fork();
    const file = await findFileOfAnyTenant(em, fileId).catch((error: unknown) => {
      if (error instanceof AppError) throw new NotComparable(error.message);
      throw error;
    });
    const timeline = await timelineOf(em, await observeFile({ em, engine }, file));
    return presentTimeline(timeline, () => null);
  };
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
  const side: Side = { run: `generation ${view.generation}, ${timeline.outcome}` };
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
async function compare(ask: AskService, engine: Engine, id: string): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    const api = await ask(id);
    const [ours, theirs] = [sideOfApi(api), await askEngine(engine, api.file_id)];
    const names = Object.keys({ ...ours, ...theirs });
    const different = names.filter((name) => ours[name] !== theirs[name]);
    if (different.length === 0 || attempt === ATTEMPTS.most) {
      print(api, [
        ['', 'service', 'engine'],
        ...names.map((name) => [name, ours[name] ?? 'absent', theirs[name] ?? 'absent']),
      ]);
      console.log(different.length > 0 ? `\nThey differ: ${different.join(', ')}.` : '\nThey agree.');
      return different.length === 0;
    }
    await delay(ATTEMPTS.pauseMs);
  }
}

function print({ file_id, primary_status, explanation }: Timeline, rows: string[][]): void {
  console.log(`File ${file_id}: ${primary_status}. ${explanation}\n`);
  for (const [name = '', ours = '', theirs = ''] of rows)
    console.log(`  ${name.padEnd(16)}${ours.padEnd(48)}${theirs}`.trimEnd());
}

await runCommand(HELP, async () => {
  const given = readFlags(process.argv.slice(2), { url: { type: 'string' }, key: { type: 'string' } }, 1);
  if (!given) return undefined;
  const [fileId] = given.positionals;
  if (!fileId) throw new UsageError('No file id given. Usage: npm run status -- FILE_ID');
  const { url, key } = given.values;
  const target = { ...(url !== undefined && { api: url }), ...(key !== undefined && { key }) };
  const remote = url !== undefined || key !== undefined;
  // The engine of a stack on this machine is not that of an API elsewhere.
  const named = process.env['TEMPORAL_ADDRESS'] ? process.env : undefined;
  const isElsewhere = url !== undefined || (key !== undefined && Boolean(process.env['DARKROOM_API']));
  const env = isElsewhere ? named : stackEnv(process.env);
  if (!env && remote) {
    const api = await askApi(findApi(target, process.env))(fileId);
    print(api, Object.entries(sideOfApi(api)));
    throw new NotComparable('TEMPORAL_ADDRESS names no engine');
  }
  if (!env) {
    throw new UsageError(
      'No servers to ask: run npm start, set DATABASE_URL and TEMPORAL_ADDRESS, or use --url and --key.',
    );
  }
  const engine = createEngine(readConfig([temporalConfig], env));
  const orm = remote ? undefined : createOrm(readConfig([databaseConfig], env));
  try {
    const ask = orm ? askRows(orm, engine) : askApi(findApi(target, process.env));
    return (await compare(ask, engine, fileId)) ? 0 : 1;
  } finally {
    await orm?.close(true);
    await engine.close();
  }
});
