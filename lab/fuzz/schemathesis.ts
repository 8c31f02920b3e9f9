import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../../cli/shared/usage-error.ts';
import { installPython } from '../shared/virtual-environment.ts';

const PROGRAM = 'bin/schemathesis';

/**
 * Installs Schemathesis in a separate virtual environment.
 *
 * @returns the path of the program
 * @throws UsageError if Python or PyPI is not available
 */
export async function installSchemathesis(): Promise<string> {
  const requirements = fileURLToPath(new URL('requirements.txt', import.meta.url));
  const folder = await installPython({ name: 'schemathesis', requirements, proof: [PROGRAM, '--version'] });
  return join(folder, PROGRAM);
}

const CONFIG = fileURLToPath(new URL('schemathesis.toml', import.meta.url));

interface FuzzOptions {
  /** Path of the program. */
  program: string;
  /** The environment of the program. */
  env: NodeJS.ProcessEnv;
  apiUrl: string;
  /** Headers with the credentials. */
  headers: Record<string, string>;
  seconds: number;
  seed: number;
  reportPath: string;
  signal: AbortSignal;
}

/**
 * Sends valid and invalid requests derived from the OpenAPI document of a running API, and compares the responses with
 * the document. The output goes to the terminal.
 *
 * @returns the exit code of Schemathesis: 0 without findings, 1 with findings, others if it could not run
 */
export async function runSchemathesis(options: FuzzOptions): Promise<number | null> {
  const { program, env, apiUrl, headers, seconds, seed, reportPath, signal } = options;
  const child = spawn(
    program,
    [
      '--config-file',
      CONFIG,
      'run',
      `${apiUrl}/openapi.json`,
      '--url',
      apiUrl,
      '--max-time',
      `${seconds}`,
      '--seed',
      `${seed}`,
      '--workers',
      '2',
      '--request-timeout',
      '30',
      '--continue-on-failure',
      '--report',
      'json',
      '--report-json-path',
      reportPath,
      '--no-color',
      // This check removes only the API key; the cookie would still authenticate.
      ...('Cookie' in headers ? ['--exclude-checks', 'ignored_auth'] : []),
      ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    ],
    {
      // Schemathesis caches its findings in the working directory.
      cwd: dirname(reportPath),
      env,
      stdio: ['ignore', 'inherit', 'inherit'],
      signal,
    },
  );
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

/** The fields used of the report of Schemathesis. */
interface FuzzReport {
  seed: number;
  running_time: number;
  operations: { total: number; tested: number; errored: number };
  test_cases: { generated: number; unique_failures: number; errored: number };
  /** Findings by kind. */
  failures: { title: string; count: number; operations: string[] }[];
}

/** @throws UsageError if there is no readable report */
export function readReport(path: string): FuzzReport {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as FuzzReport;
  } catch (cause) {
    throw new UsageError(`Schemathesis left no report: ${String(cause)}`);
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
