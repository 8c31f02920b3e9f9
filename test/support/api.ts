import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { recordAnswer } from './observed-answers.ts';
import { recordSnapshots } from './snapshots.ts';

/** The part of `run.json` that tests use. */
export interface RunInfo {
  api_url: string;
  api_key: string;
  tenants: Record<'free' | 'starter' | 'professional' | 'enterprise', { api_key: string }>;
  temporal_address: string;
  temporal_namespace: string;
  temporal_ui_url: string;
}

/** The shared stack of this test run. */
export function sharedRun(): RunInfo {
  const file = process.env['DARKROOM_RUN'];
  assert.ok(file, 'DARKROOM_RUN must name the run.json of a running stack; npm test sets it');
  return JSON.parse(readFileSync(file, 'utf8')) as RunInfo;
}

// Tests read responses untyped, by field name, as a client in another language would.
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

export interface Answer {
  status: number;
  headers: Headers;
  body: Json;
}

export interface UploadParts {
  bytes: Uint8Array;
  filename?: string;
  fields?: Record<string, string>;
}

/** An API key, or the headers to send instead, such as the `Cookie` of a session. */
export type Credentials = string | Record<string, string>;

/** A client of the HTTP API that relies only on the contract. */
export function createClient(
  run: Pick<RunInfo, 'api_url' | 'api_key'>,
  credentials: Credentials = run.api_key,
) {
  const origin = new URL(run.api_url).origin;
  const authentication =
    typeof credentials === 'string' ? { Authorization: `Bearer ${credentials}` } : credentials;

  async function request(method: string, path: string, options: RequestInit = {}): Promise<Answer> {
    const url = path.startsWith('http') ? path : `${run.api_url}${path}`;
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(60_000),
      ...options,
      headers: { ...authentication, ...(options.headers as Record<string, string>) },
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    const answer = {
      status: response.status,
      headers: response.headers,
      body: isJson ? JSON.parse(text) : text,
    };
    if (url.startsWith(run.api_url)) recordAnswer(method, url.slice(run.api_url.length), answer);
    return answer;
  }

  const send = (method: string) => (path: string, body: unknown) =>
    request(method, path, { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } });

  const client = {
    origin,
    request,
    async get(path: string): Promise<Answer> {
      const askedAt = Date.now();
      const answer = await request('GET', path);
      recordSnapshots(path, askedAt, answer);
      return answer;
    },
    post: send('POST'),
    patch: send('PATCH'),
    delete: (path: string) => request('DELETE', path),

    upload({ bytes, filename = 'image', fields = {} }: UploadParts): Promise<Answer> {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      form.append('file', new Blob([bytes]), filename);
      return request('POST', '/files/upload', { body: form });
    },

    /** Uploads several files in one request; `fieldsLast` puts the text fields after them. */
    batch(files: UploadParts[], fields: Record<string, string> = {}, fieldsLast = false): Promise<Answer> {
      const form = new FormData();
      const appendFields = () => Object.entries(fields).forEach(([name, value]) => form.append(name, value));
      if (!fieldsLast) appendFields();
      for (const { bytes, filename = 'image' } of files) form.append('files', new Blob([bytes]), filename);
      if (fieldsLast) appendFields();
      return request('POST', '/files/upload/batch', { body: form });
    },

    /** Polls a session until it has ended, and returns its status. */
    sessionEnded: (id: string, seconds = 90): Promise<Json> =>
      eventually(async () => {
        const { status, body } = await client.get(`/files/sessions/${id}/status`);
        assert.equal(status, 200, JSON.stringify(body));
        assert.ok(!['pending', 'uploading', 'processing'].includes(body.status), JSON.stringify(body));
        return body;
      }, seconds),

    /** Uploads and returns the file id. */
    async ingest(parts: UploadParts): Promise<string> {
      const answer = await client.upload(parts);
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return answer.body.file_id as string;
    },

    /** Polls a file until its processing has ended, and returns it. */
    settled: (id: string, seconds = 60): Promise<Json> =>
      eventually(
        async () => {
          const { status, body } = await client.get(`/files/${id}`);
          assert.equal(status, 200, JSON.stringify(body));
          assert.ok(!['pending', 'processing'].includes(body.primary_status), `still ${body.primary_status}`);
          return body;
        },
        seconds,
        async () => JSON.stringify((await client.get(`/files/${id}/timeline`)).body),
      ),

    /** Follows the redirect of a path to the store. */
    async follow(path: string): Promise<{ bytes: Buffer; headers: Headers }> {
      const answer = await client.get(path);
      assert.equal(answer.status, 302, JSON.stringify(answer.body));
      const response = await fetch(answer.headers.get('location') ?? '');
      assert.equal(response.status, 200);
      return { bytes: Buffer.from(await response.arrayBuffer()), headers: response.headers };
    },
  };
  return client;
}

export type Client = ReturnType<typeof createClient>;

const FIRST_PAUSE_MS = 50;
/** Most checks ask the API, whose answers take CPU time from the work that they wait for. */
const LONGEST_PAUSE_MS = 400;

/**
 * Retries a check until it passes, at ever longer intervals, and returns its result; after the deadline throws its last
 * error.
 */
export async function eventually<R>(
  check: () => Promise<R>,
  seconds = 30,
  explain: () => Promise<string> = async () => '',
): Promise<R> {
  const deadline = Date.now() + seconds * 1000;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.25, LONGEST_PAUSE_MS)) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) {
        throw new Error(`not within ${seconds} s: ${String(error)} ${await explain()}`, { cause: error });
      }
    }
    await sleep(pause);
  }
}

/** Asserts that the files of an upload session add up to its total. */
export function assertCountsAddUp(session: Json): void {
  const { total_files, completed_files, failed_files, skipped_files, pending_files } = session;
  assert.equal(total_files, completed_files + failed_files + skipped_files + pending_files);
}
