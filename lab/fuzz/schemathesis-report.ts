import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { UsageError } from '../../cli/shared/usage-error.ts';

/** Names of the reports in the folder of a round. */
export const REPORTS = { events: 'events.ndjson', summary: 'summary.json' };

/** A kind of finding of Schemathesis. */
export interface Failure {
  /** `ST101`, stable. */
  code: string;
  title: string;
  count: number;
  operations: readonly string[];
}

/** What one caller has sent and received. */
export interface Round {
  /** Requests, with or without a response. */
  cases: number;
  /** Number of responses by operation, such as `GET /files`, and status. */
  statuses: ReadonlyMap<string, ReadonlyMap<number, number>>;
  failures: readonly Failure[];
  /** Why operations could not be tested. */
  errors: readonly { title: string; count: number }[];
}

export interface CallerResult extends Round {
  caller: string;
}

/** Of operations in a line. */
const MOST_NAMED = 10;
/** Server errors, and responses that break the document. All other codes are about requests, access and state. */
const SERVER_ERROR = /^ST10[12]$/;
const SCHEMA_BREACH = /^ST1(0[3-9]|1[01])$/;

/**
 * Reads the reports of a round.
 *
 * @throws UsageError if there are none
 */
export async function readRound(folder: string): Promise<Round> {
  try {
    const { failures, errors } = JSON.parse(readFileSync(join(folder, REPORTS.summary), 'utf8')) as Round;
    const lines = createInterface({ input: createReadStream(join(folder, REPORTS.events)) });
    return { ...(await countResponses(lines)), failures, errors };
  } catch (cause) {
    throw new UsageError(`Schemathesis left no report in ${folder}: ${String(cause)}`, { cause });
  }
}

/** The fields used of an event of Schemathesis. */
interface Event {
  ScenarioFinished?: {
    recorder: {
      cases?: Record<string, { value: { method: string; path: string } }>;
      interactions?: Record<string, { response?: { status_code: number } }>;
    };
  };
}

/** Counts the requests and responses in the events of a run, one event a line. */
export async function countResponses(
  lines: AsyncIterable<string>,
): Promise<Pick<Round, 'cases' | 'statuses'>> {
  const statuses = new Map<string, Map<number, number>>();
  let cases = 0;
  for await (const line of lines) {
    const { cases: sent = {}, interactions = {} } =
      (JSON.parse(line) as Event).ScenarioFinished?.recorder ?? {};
    for (const [id, { response }] of Object.entries(interactions)) {
      cases += 1;
      const request = sent[id]?.value;
      if (request && response) add(statuses, `${request.method} ${request.path}`, response.status_code);
    }
  }
  return { cases, statuses };
}

function add(statuses: Map<string, Map<number, number>>, operation: string, status: number, count = 1): void {
  const counts = statuses.get(operation) ?? new Map<number, number>();
  statuses.set(operation, counts.set(status, (counts.get(status) ?? 0) + count));
}

/** The result with another round of the same caller. Findings of the same kind are one, with all operations. */
export function addRound(result: CallerResult, round: Round): CallerResult {
  const statuses = new Map<string, Map<number, number>>();
  for (const [operation, counts] of [...result.statuses, ...round.statuses])
    for (const [status, count] of counts) add(statuses, operation, status, count);
  const failures = new Map<string, Failure>();
  for (const failure of [...result.failures, ...round.failures]) {
    const known = failures.get(failure.title);
    failures.set(failure.title, {
      ...failure,
      count: failure.count + (known?.count ?? 0),
      operations: [...new Set([...(known?.operations ?? []), ...failure.operations])],
    });
  }
  const { caller, cases, errors } = result;
  return {
    caller,
    cases: cases + round.cases,
    statuses,
    failures: [...failures.values()],
    errors: [...errors, ...round.errors],
  };
}

/** The counts of a caller, one line for them and one for each kind of finding. */
export function reportCaller(result: CallerResult, operations: readonly string[]): string {
  const { caller, cases, statuses, failures, errors } = result;
  const { serverErrors, breaches, others } = countFindings(result);
  // Methods that are not documented are tried, too.
  const tested = operations.filter((operation) => statuses.has(operation)).length;
  return [
    `${caller}: ${cases} cases, ${tested} of ${operations.length} operations: ${serverErrors} responses of 5xx, ` +
      `${breaches} schema breaches, ${others} other findings`,
    ...failures.map(
      ({ code, title, count, operations }) => `  ${count} × ${title} (${code}): ${operations.join(', ')}`,
    ),
    ...errors.map(({ title, count }) => `  ${count} × ${title}`),
  ].join('\n');
}

/** Findings of one caller by kind; those of server errors are counted by response. */
export function countFindings({ statuses, failures, errors }: Round) {
  const sum = (counted: readonly { count: number }[]) =>
    counted.reduce((total, { count }) => total + count, 0);
  const serverErrors = [...statuses.values()].flatMap((counts) =>
    [...counts].map(([status, count]) => ({ count: status >= 500 ? count : 0 })),
  );
  const isOther = ({ code }: Failure) => !SERVER_ERROR.test(code) && !SCHEMA_BREACH.test(code);
  return {
    serverErrors: sum(serverErrors),
    breaches: sum(failures.filter(({ code }) => SCHEMA_BREACH.test(code))),
    others: sum(failures.filter(isOther)) + sum(errors),
  };
}

/** The operations to which no caller got a 2xx. */
export function neverAccepted(results: readonly CallerResult[], operations: readonly string[]): string[] {
  return operations.filter(
    (operation) =>
      !results.some(({ statuses }) =>
        [...(statuses.get(operation)?.keys() ?? [])].some((status) => status >= 200 && status < 300),
      ),
  );
}

/** What keeps the requests of all callers from passing; empty if nothing does. */
export function shortfallsOfOperations(
  results: readonly CallerResult[],
  { asked, operations }: { asked: number; operations: readonly string[] },
): string[] {
  const sent = results.reduce((total, { cases }) => total + cases, 0);
  const findings = results.map(countFindings);
  const total = (name: 'serverErrors' | 'breaches' | 'others') =>
    findings.reduce((sum, counts) => sum + counts[name], 0);
  const untested = results.flatMap(({ caller, statuses }) => {
    const missing = operations.filter((operation) => !statuses.has(operation));
    const some = missing.slice(0, MOST_NAMED).join(', ');
    return missing.length > 0 ? [`${caller} sent nothing to ${missing.length} operations: ${some}`] : [];
  });
  const counts: [number, string][] = [
    [total('serverErrors'), 'responses of 5xx'],
    [total('breaches'), 'schema breaches'],
    [total('others'), 'other findings'],
  ];
  return [
    ...(sent < asked ? [`${sent} cases were sent, fewer than the ${asked} asked for`] : []),
    ...untested,
    ...counts.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : [])),
  ];
}
