import { readFileSync } from 'node:fs';
import { CannotBegin } from '../shared/cannot-begin.ts';

/** The report of Schemathesis, as far as it is used. */
export interface FuzzReport {
  seed: number;
  running_time: number;
  operations: { total: number; tested: number; errored: number };
  test_cases: { generated: number; unique_failures: number; errored: number };
  /** Findings by kind. */
  failures: { title: string; count: number; operations: string[] }[];
}

/** @throws CannotBegin when there is no report */
export function readReport(path: string): FuzzReport {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as FuzzReport;
  } catch (cause) {
    throw new CannotBegin(`Schemathesis left no report: ${String(cause)}`);
  }
}

/** One line for the cases of a run, and one for each kind of finding, with its operations. */
export function summarise(
  principal: string,
  { seed, running_time, operations, test_cases, failures }: FuzzReport,
): string {
  const minutes = (running_time / 60).toFixed(1);
  return [
    `${principal}: ${test_cases.generated} cases, ${operations.tested} of ${operations.total} operations, ${minutes} minutes, ` +
      `seed ${seed}: ${test_cases.unique_failures} findings, ${test_cases.errored + operations.errored} errors`,
    ...failures.map(({ title, count, operations: where }) => `  ${count} × ${title}: ${where.join(', ')}`),
  ].join('\n');
}
