import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** A response that a test received. */
export interface ObservedAnswer {
  method: string;
  /** Below `/api/v2`, without the query. */
  path: string;
  status: number;
  /** Names of the response headers. */
  headers: string[];
  body: unknown;
}

/** A message of a live channel that a test received. */
export interface ObservedMessage {
  /** The schema in the OpenAPI document. */
  schema: 'LiveMessage' | 'UploadSessionFrame' | 'FileFrame' | 'ExtractionFrame' | 'ExportFrame';
  body: unknown;
}

export type Observed = ObservedAnswer | ObservedMessage;

/** Most requests poll, so repeated responses are skipped. */
const recorded = new Set<string>();

/** Appends a response to the file at DARKROOM_ANSWERS, for the tests that run last. */
export function recordAnswer(
  method: string,
  path: string,
  { status, headers, body }: { status: number; headers: Headers; body: unknown },
): void {
  append({ method, path: path.replace(/\?.*/, ''), status, headers: [...headers.keys()], body });
}

/** Appends a message of a live channel to the same file. */
export function recordMessage(schema: ObservedMessage['schema'], body: unknown): void {
  append({ schema, body });
}

function append(observed: Observed): void {
  const target = process.env['DARKROOM_ANSWERS'];
  const line = JSON.stringify(observed);
  if (!target || recorded.has(line)) return;
  recorded.add(line);
  appendFileSync(target, `${line}\n`);
}

/** All recorded responses and messages of this test run. */
export function readObserved(): Observed[] {
  const source = process.env['DARKROOM_ANSWERS'];
  if (!source || !existsSync(source)) return [];
  return readFileSync(source, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Observed);
}
