import type { Bar } from '../shared/bar.ts';
import { expectStatus, type Http } from '../shared/http.ts';
import { piecesOf, type ChaosPlan } from './plan.ts';
import { explainFile, listFiles, listSessions, tally } from './read-state.ts';
import { runAudit } from './run-audit.ts';
import type { TaskEnd } from './run-tasks.ts';
import {
  breachesOf,
  creditsOf,
  findProblems,
  type Acknowledged,
  type Findings,
  type ListedFile,
} from './verdict.ts';
import { findWebhookProblems, type WebhookWatch } from './webhook-watch.ts';

/** Maximum number of incomplete files whose explanation is read from the API. */
const EXPLAINED = 100;
/** A line of the audit that reports a breach. */
const AUDIT_BREACH = /^I\d+ +breach: /;

/** The state of the service after a run. */
export interface CheckedRun {
  findings: Findings;
  statuses: Record<string, number>;
  credits: { used: number; expected: number };
  /** Counts of delivered events, of their requests, and of events that are missing or have several ids. */
  webhooks: { events: number; requests: number; problems: number };
  /** Exit code of the audit. */
  auditCode: number | null;
}

/**
 * Audits the service after a run, and compares its files, events and credits with what the clients have sent and received.
 *
 * @param env      connects to the servers
 * @param folder   of the stack
 * @param onBreach receives one line for each problem
 */
export async function checkRun(options: {
  viewer: Http;
  env: NodeJS.ProcessEnv;
  plan: ChaosPlan;
  acknowledged: readonly Acknowledged[];
  folder: string;
  tasks: readonly TaskEnd[];
  webhooks: Pick<WebhookWatch, 'received' | 'refused'>;
  bar: Bar;
  onBreach: (line: string) => void;
  signal: AbortSignal;
}): Promise<CheckedRun> {
  const { viewer, env, plan, acknowledged, folder, tasks, webhooks, bar, onBreach, signal } = options;
  const auditCode = await runAudit(env, {
    acknowledged,
    folder,
    onLine: (line) => (AUDIT_BREACH.test(line) ? onBreach(line) : bar.print(line)),
    signal,
  });
  if (auditCode !== 0 && auditCode !== 1) onBreach(`the audit ended with exit code ${auditCode}`);

  const files = await listFiles(viewer);
  await explainUnfinished(viewer, files);
  const names = plan.deliveries.flatMap(piecesOf).map(({ name }) => name);
  const findings = findProblems(names, acknowledged, files);
  const received = [...webhooks.received.values()];
  const problems = [
    ...findWebhookProblems(received, files, await listSessions(viewer), tasks),
    ...webhooks.refused,
  ];
  for (const breach of [...breachesOf(findings), ...problems]) onBreach(breach);

  const quota = await viewer.sendWithRetries('GET', '/files/quota-check?file_count=1');
  const used = expectStatus(quota, 200, 'the credits').current_usage as number;
  const expected = creditsOf(plan, tasks.filter(({ kind }) => kind === 'extraction').length);
  if (used !== expected) onBreach(`${used} credits were used instead of ${expected}`);
  return {
    findings,
    statuses: tally(files),
    credits: { used, expected },
    webhooks: {
      events: received.length,
      requests: received.reduce((sum, { times }) => sum + times, 0),
      problems: problems.length,
    },
    auditCode,
  };
}

/** Adds the API's explanation to files that are not completed. */
async function explainUnfinished(http: Http, files: readonly ListedFile[]): Promise<void> {
  for (const file of files.filter(({ primaryStatus }) => primaryStatus !== 'completed').slice(0, EXPLAINED)) {
    const explanation = await explainFile(http, file.id).catch(() => undefined);
    if (explanation !== undefined) file.explanation = explanation;
  }
}
