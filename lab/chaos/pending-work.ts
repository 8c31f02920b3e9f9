import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { createEngine } from '../../temporal/client.ts';
import { temporalConfig } from '../../temporal/config.ts';
import { expectStatus, type Http, type Json } from '../shared/http.ts';
import { explainFile, hasEnded, OPEN_SESSIONS } from './read-state.ts';
import type { ListedFile } from './verdict.ts';

const ANSWER_MS = 10_000;
/** Maximum number of files and workflows to query; beyond it, only the count is reported. */
const SHOWN = 10;

/** Rows with pending work. */
const OPEN_ROWS = {
  'upload sessions': `select id, status, sealed_by, engine_due_at from upload_sessions
     where completed_at is null order by created_at`,
  files: `select id, primary_status, generation, workflow_started_at, engine_due_at from files
     where primary_status in ('pending', 'processing') and deleted_at is null order by created_at`,
  'direct uploads': `select id, status, complete_requested_at, engine_due_at from upload_intents
     where status in ('PENDING', 'UPLOADED') order by created_at`,
  'requests in flight': `select route, key, leased_until from idempotency_keys where answered_at is null`,
};

/**
 * The pending work of each side of a run (client, API, engine and database) in lines for the user. Includes sides that
 * do not respond.
 */
export async function describePendingWork(options: {
  /** The client that uploads. */
  client: Http;
  viewer: Http;
  /** Origin of the API. */
  origin: string;
  files: readonly ListedFile[];
  /** Connects to the servers. */
  env: NodeJS.ProcessEnv;
}): Promise<string[]> {
  const { client, viewer, origin, files, env } = options;
  const sides: Record<string, () => Promise<string[]>> = {
    client: () => Promise.resolve(client.waiting()),
    api: () => askApi(viewer, origin, files),
    engine: () => askEngine(env),
    store: () => askStore(env),
  };
  const lines = await Promise.all(
    Object.entries(sides).map(async ([side, ask]) => {
      const own = await ask().catch((error: Error) => [`no response: ${error.message}`]);
      return (own.length > 0 ? own : ['nothing pending']).map((line) => `${side.padEnd(7)} ${line}`);
    }),
  );
  return lines.flat();
}

async function askApi(http: Http, origin: string, files: readonly ListedFile[]): Promise<string[]> {
  const ready = await http.once('GET', `${origin}/readyz`);
  const lines = [`readyz ${ready.status} ${JSON.stringify(ready.body)}`];
  for (const status of OPEN_SESSIONS) {
    const list = await http.once('GET', `/files/sessions?status=${status}&limit=${SHOWN}`);
    for (const { session_id: id } of expectStatus(list, 200, 'the list of sessions').items as Json[]) {
      const { body } = await http.once('GET', `/files/sessions/${id}/summary`);
      lines.push(`session ${id} is ${status}: ${JSON.stringify(body?.counts)}`);
    }
  }
  const open = files.filter((file) => !hasEnded(file));
  for (const { id } of open.slice(0, SHOWN)) {
    lines.push(`file ${id} is ${await explainFile(http, id)}`);
  }
  return [...lines, ...more(open.length, 'files')];
}

async function askEngine(env: NodeJS.ProcessEnv): Promise<string[]> {
  const engine = createEngine(readConfig([temporalConfig], env));
  try {
    return await engine.within(ANSWER_MS, async (client) => {
      const lines: string[] = [];
      let running = 0;
      for await (const { workflowId } of client.workflow.list({ query: `ExecutionStatus = 'Running'` })) {
        running += 1;
        if (running > SHOWN) continue;
        const { raw } = await client.workflow.getHandle(workflowId).describe();
        const activities = (raw.pendingActivities ?? []).map(({ activityType, attempt, lastFailure }) =>
          [`${activityType?.name} at attempt ${attempt}`, lastFailure?.message].filter(Boolean).join(': '),
        );
        const task = raw.pendingWorkflowTask;
        if (task) activities.push(`workflow task at attempt ${task.attempt}`);
        lines.push(`${workflowId}: ${activities.join('; ') || 'a signal, a child or a timer'}`);
      }
      return [...lines, ...more(running, 'workflows')];
    });
  } finally {
    await engine.close();
  }
}

async function askStore(env: NodeJS.ProcessEnv): Promise<string[]> {
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

function more(count: number, what: string): string[] {
  return count > SHOWN ? [`${what}: ${count - SHOWN} more`] : [];
}
