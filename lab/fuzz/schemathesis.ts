import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../../cli/shared/usage-error.ts';
import type { Json } from '../shared/http.ts';
import { installPython } from '../shared/virtual-environment.ts';
import type { Principal } from './principals.ts';
import { NOT_SENT } from './requests/operations.ts';
import { addRound, type CallerResult, readRound, REPORTS } from './schemathesis-report.ts';

const PROGRAM = 'bin/schemathesis';
const CONFIG = fileURLToPath(new URL('schemathesis.toml', import.meta.url));
/** One operation at a time: Python's parser, which Hypothesis calls, fails when two threads use it at once. */
const WORKERS = '1';
const REQUEST_SECONDS = '30';
/** Time to write the reports after an abort. */
const GRACE_MS = 120_000;
/** Ended with or without findings, or interrupted. */
const EXIT_CODES: readonly unknown[] = [0, 1, 130];

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

export interface CallerOptions {
  /** Path of the program. */
  program: string;
  apiUrl: string;
  /** Its OpenAPI document. */
  document: Json;
  principal: Principal;
  /** The operations to test. */
  operations: readonly string[];
  /** Fewest requests. */
  cases: number;
  seed: number;
  /** For the reports and the output, which has a command that repeats each finding. */
  folder: string;
  /** Aborting it ends the requests early. */
  signal: AbortSignal;
}

/**
 * Sends valid and invalid requests derived from the OpenAPI document of a running API, as one caller, and compares the
 * responses with the document. The first round has all phases of Schemathesis; while there were too few requests, others
 * follow with other seeds. The output goes to the terminal, too.
 *
 * @returns fewer requests than asked for if the signal was aborted, or a round had none
 * @throws UsageError if Schemathesis could not run
 */
export async function testOperations(options: CallerOptions): Promise<CallerResult> {
  const { principal, operations, cases, seed, signal } = options;
  let result: CallerResult = {
    caller: principal.name,
    cases: 0,
    statuses: new Map(),
    failures: [],
    errors: [],
  };
  for (let round = 0; result.cases < cases && !signal.aborted; round += 1) {
    const folder = join(options.folder, `${round + 1}`);
    mkdirSync(folder, { recursive: true });
    const examples = Math.ceil((cases - result.cases) / operations.length);
    const ended = await runSchemathesis(options, folder, [
      '--phases',
      round === 0 ? 'examples,coverage,fuzzing,stateful' : 'fuzzing,stateful',
      '--max-examples',
      `${examples}`,
      '--seed',
      `${seed + round}`,
    ]);
    // Python had not set its handler yet, so nothing was sent.
    if (ended.signal === 'SIGINT') break;
    if (!EXIT_CODES.includes(ended.code))
      throw new UsageError(
        `Schemathesis ended with ${ended.signal ?? `exit code ${ended.code}`}; see ${folder}.`,
      );
    const sent = await readRound(folder);
    // It has every request and response.
    rmSync(join(folder, REPORTS.events));
    result = addRound(result, sent);
    if (sent.cases === 0) break;
  }
  return result;
}

async function runSchemathesis(
  { program, apiUrl, document, principal: { headers }, signal }: CallerOptions,
  folder: string,
  phases: readonly string[],
): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  const path = join(folder, 'openapi.json');
  const sent = asSent(document);
  writeFileSync(path, JSON.stringify(isReplaceable(headers) ? sent : withoutSecurity(sent)));
  const child = spawn(
    program,
    [
      '--config-file',
      CONFIG,
      'run',
      path,
      '--url',
      apiUrl,
      ...phases,
      ...NOT_SENT.flatMap((id) => ['--exclude-operation-id', id]),
      '--workers',
      WORKERS,
      '--request-timeout',
      REQUEST_SECONDS,
      '--continue-on-failure',
      '--no-color',
      // Examples of earlier runs would differ from run to run.
      '--generation-database',
      'none',
      '--report',
      'json,ndjson',
      '--report-json-path',
      join(folder, REPORTS.summary),
      '--report-ndjson-path',
      join(folder, REPORTS.events),
      ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    ],
    { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  child.stdout.pipe(process.stdout, { end: false });
  child.stdout.pipe(createWriteStream(join(folder, 'output.txt')));
  const interrupt = (): void => {
    child.kill('SIGINT');
    setTimeout(() => child.kill('SIGKILL'), GRACE_MS).unref();
  };
  signal.addEventListener('abort', interrupt, { once: true });
  try {
    const [code, killedBy] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return { code, signal: killedBy };
  } finally {
    signal.removeEventListener('abort', interrupt);
  }
}

/** Whether requests can be made without the credentials or with others: Schemathesis sends only `Authorization` so. */
function isReplaceable(headers: Principal['headers']): boolean {
  return !('Cookie' in headers || 'X-API-Key' in headers);
}

/** `0` and `1` are booleans, in a form and in a query. */
const DIGITS = { enum: [0, 1, '0', '1'] };
const EMPTY = { const: '' };

/**
 * The document with the rules that it leaves out, as client generators would make a class of each alternative: an empty
 * optional field of a form or query counts as absent, and a boolean there may be a digit. Cursors are left out: those of the
 * API are opaque, and another part makes up wrong ones.
 */
function asSent(document: Json): Json {
  const changed = structuredClone(document);
  const optional = (schema: Json): Json => ({
    anyOf: [schema, EMPTY, ...(schema.type === 'boolean' ? [DIGITS] : [])],
  });
  for (const operation of operationsOf(changed)) {
    const parameters: Json[] = operation.parameters ?? [];
    operation.parameters = parameters.filter(({ name }) => name !== 'cursor');
    for (const parameter of parameters)
      if (parameter.in === 'query' && !parameter.required) parameter.schema = optional(parameter.schema);
    const content: Json = operation.requestBody?.content['multipart/form-data'];
    if (!content) continue;
    const form: Json = document.components.schemas[content.schema.$ref?.split('/').at(-1)] ?? content.schema;
    const properties = Object.entries<Json>(form.properties).map(([name, schema]) => [
      name,
      form.required?.includes(name) ? schema : optional(schema),
    ]);
    content.schema = { ...form, properties: Object.fromEntries(properties) };
  }
  return changed;
}

/** The document for a caller whose credentials are in all requests, also in those that should lack them. */
function withoutSecurity(document: Json): Json {
  const changed = structuredClone(document);
  delete changed.security;
  for (const operation of operationsOf(changed)) delete operation.security;
  return changed;
}

function operationsOf(document: Json): Json[] {
  return Object.values<Json>(document.paths).flatMap((item) => Object.values<Json>(item));
}
