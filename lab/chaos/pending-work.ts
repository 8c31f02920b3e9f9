import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { s3Config } from '../../adapters/object-store/config.ts';
import { createS3ObjectStore } from '../../adapters/object-store/s3-object-store.ts';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { createEngine } from '../../temporal/client.ts';
import { temporalConfig } from '../../temporal/config.ts';
import { expectStatus, type Http, type Json } from '../shared/http.ts';
import { statOf } from '../shared/process-tree.ts';
import { explainFile, listOpenFiles, OPEN_SESSIONS } from './read-state.ts';

const ANSWER_MS = 10_000;
/** Maximum time for all questions to one side. */
const SIDE_MS = 60_000;
/** Maximum number of files, workflows and rows of a kind to describe; beyond it, only the count is reported. */
const SHOWN = 10;

/** Rows with pending work, oldest first. */
const OPEN_ROWS = {
  'upload sessions': `select id, status, sealed_by, engine_due_at from upload_sessions
     where completed_at is null order by created_at`,
  files: `select id, primary_status, generation, workflow_started_at, engine_due_at from files
     where primary_status in ('pending', 'processing') and deleted_at is null order by created_at`,
  'direct uploads': `select id, status, complete_requested_at, engine_due_at from upload_intents
     where status in ('PENDING', 'UPLOADED') order by created_at`,
  extractions: `select id, file_id, created_at, engine_due_at from schema_extractions
     where status = 'processing' order by created_at`,
  exports: `select id, status, created_at, engine_due_at from exports
     where status not in ('completed', 'failed') order by created_at`,
  'webhook deliveries': `select id, status, attempts, engine_due_at from webhook_deliveries
     where ended_at is null order by created_at`,
  'requests in flight': `select route, key, leased_until from idempotency_keys where answered_at is null`,
  'statements and transactions': `select pid, state, wait_event_type, wait_event, pg_blocking_pids(pid) as blocked_by,
       round(extract(epoch from now() - xact_start)) as seconds, left(query, 120) as query
     from pg_stat_activity where xact_start is not null and pid <> pg_backend_pid() order by xact_start`,
};

/**
 * What each side of a run waits for (client, API, engine, database, store and the processes of the stack) in lines for the
 * user. Includes sides that do not respond.
 */
export async function describePendingWork(options: {
  /** The clients of the run: the one that uploads and others. */
  clients: readonly Http[];
  viewer: Http;
  /** Origin of the API. */
  origin: string;
  /** Connects to the servers. */
  env: NodeJS.ProcessEnv;
  /** The processes of the stack. */
  pids: Readonly<Record<string, number>>;
  /** Further sides, which answer at once. */
  others?: Readonly<Record<string, string[]>>;
}): Promise<string[]> {
  const { clients, viewer, origin, env, pids, others = {} } = options;
  // Before this report sends requests of its own.
  const waiting = clients.flatMap((client) => client.waiting());
  const sides: Record<string, () => Promise<string[]> | string[]> = {
    client: () => [...waiting.slice(0, SHOWN), ...more(waiting.length, 'requests')],
    ...Object.fromEntries(Object.entries(others).map(([side, lines]) => [side, () => lines])),
    api: () => askApi(viewer, origin),
    engine: () => askEngine(env),
    database: () => askDatabase(env),
    store: () => askStore(env),
    process: () => Object.entries(pids).map(([name, pid]) => `${name} ${pid} is ${stateOf(pid)}`),
  };
  const lines = await Promise.all(
    Object.entries(sides).map(async ([side, ask]) => {
      const own = await Promise.race([
        Promise.resolve()
          .then(ask)
          .catch((error: Error) => [`no response: ${error.message}`]),
        delay(SIDE_MS, [`no response within ${SIDE_MS / 1000} s`], { ref: false }),
      ]);
      return (own.length > 0 ? own : ['nothing pending']).map((line) => `${side.padEnd(8)} ${line}`);
    }),
  );
  return lines.flat();
}

async function askApi(http: Http, origin: string): Promise<string[]> {
  const ready = await http.once('GET', `${origin}/readyz`);
  const lines = [`readyz ${ready.status} ${JSON.stringify(ready.body)}`];
  for (const status of OPEN_SESSIONS) {
    const list = await http.once('GET', `/files/sessions?status=${status}&limit=${SHOWN}`);
    for (const { session_id: id } of expectStatus(list, 200, 'the list of sessions').items as Json[]) {
      const { body } = await http.once('GET', `/files/sessions/${id}/summary`);
      lines.push(`session ${id} is ${status}: ${JSON.stringify(body?.counts)}`);
    }
  }
  const open = await listOpenFiles(http);
  const statuses = Map.groupBy(open, ({ primaryStatus }) => primaryStatus);
  for (const [status, { length }] of statuses) lines.push(`${length} files are ${status}`);
  for (const { id } of open.slice(0, SHOWN)) {
    lines.push(`file ${id} is ${await explainFile(http, id)}`);
  }
  return [...lines, ...more(open.length, 'files')];
}

async function askEngine(env: NodeJS.ProcessEnv): Promise<string[]> {
  const engine = createEngine(readConfig([temporalConfig], env));
  try {
    return await engine.within(ANSWER_MS, async (client) => {
      const running: WorkflowExecutionInfo[] = [];
      for await (const each of client.workflow.list({ query: `ExecutionStatus = 'Running'` }))
        running.push(each);
      const types = Map.groupBy(running, ({ type }) => type);
      const lines = [...types].map(([type, { length }]) => `${length} workflows of type ${type}`);
      const oldest = running.toSorted((a, b) => a.startTime.getTime() - b.startTime.getTime());
      for (const { workflowId, startTime } of oldest.slice(0, SHOWN)) {
        const { raw } = await client.workflow.getHandle(workflowId).describe();
        const activities = (raw.pendingActivities ?? []).map(({ activityType, attempt, lastFailure }) =>
          [`${activityType?.name} at attempt ${attempt}`, lastFailure?.message].filter(Boolean).join(': '),
        );
        const task = raw.pendingWorkflowTask;
        if (task) activities.push(`workflow task at attempt ${task.attempt}`);
        const waitsFor = activities.join('; ') || 'a signal, a child or a timer';
        lines.push(`${workflowId} since ${startTime.toISOString()}: ${waitsFor}`);
      }
      return [...lines, ...more(running.length, 'workflows')];
    });
  } finally {
    await engine.close();
  }
}

async function askDatabase(env: NodeJS.ProcessEnv): Promise<string[]> {
  const orm = createOrm(readConfig([databaseConfig], env));
  try {
    const lines: string[] = [];
    for (const [what, query] of Object.entries(OPEN_ROWS)) {
      const rows = await orm.em.fork().execute<Record<string, unknown>[]>(query);
      lines.push(...rows.slice(0, SHOWN).map((row) => `${what}: ${JSON.stringify(row)}`));
      lines.push(...more(rows.length, what));
    }
    return lines;
  } finally {
    await orm.close(true);
  }
}

async function askStore(env: NodeJS.ProcessEnv): Promise<string[]> {
  const began = performance.now();
  const objects = createS3ObjectStore(readConfig([s3Config], env));
  await objects.ready();
  return [`answered within ${Math.round(performance.now() - began)} ms`];
}

/** The state of a process as the kernel names it. */
function stateOf(pid: number): string {
  try {
    const [state = ''] = statOf(pid);
    return (
      { R: 'running', S: 'sleeping', D: 'waiting for a disk', T: 'suspended', Z: 'ended' }[state] ?? state
    );
  } catch {
    return 'gone';
  }
}

function more(count: number, what: string): string[] {
  return count > SHOWN ? [`${what}: ${count - SHOWN} more`] : [];
}
