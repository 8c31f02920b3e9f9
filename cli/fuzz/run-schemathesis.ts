import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const CONFIG = fileURLToPath(new URL('schemathesis.toml', import.meta.url));

export interface FuzzOptions {
  /** Path of the program. */
  program: string;
  /** The environment of the program. */
  env: NodeJS.ProcessEnv;
  apiUrl: string;
  /** How the requests authenticate. */
  headers: Record<string, string>;
  seconds: number;
  seed: number;
  reportPath: string;
  signal: AbortSignal;
}

/**
 * Sends requests derived from the OpenAPI document of a running API, valid and invalid ones, and compares the answers with
 * it. The output goes to the terminal.
 *
 * @returns the exit code of Schemathesis: 0 without findings, 1 with findings, others when it could not run
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
      // Without the key that it knows of, the cookie still authenticates a request.
      ...('Cookie' in headers ? ['--exclude-checks', 'ignored_auth'] : []),
      ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    ],
    {
      // It keeps a cache of its findings in the folder that it runs in.
      cwd: dirname(reportPath),
      env,
      stdio: ['ignore', 'inherit', 'inherit'],
      signal,
    },
  );
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}
