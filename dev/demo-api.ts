import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { StackError } from './stack-error.ts';

const ANSWER_MS = 30_000;

/** What the demo reads of `GET /files/{id}`. */
export interface DemoFile {
  id: string;
  title: string;
  format: string;
  size_bytes: number;
  dimensions: { width: number; height: number } | null;
  primary_status: string;
  variant_status: string;
  description_status: string;
  upload_description: string | null;
  tags: string[];
  blur_hash: string | null;
}

/** What the demo reads of `GET /files/{id}/timeline`. */
export interface DemoTimeline {
  workflow_id: string;
  explanation: string;
  runs: { run_id: string; steps: { step: string; attempt: number; duration_ms: number | null }[] }[];
}

/** The public HTTP API as the demo uses it: no more than any client could do. */
export interface DemoApi {
  /** Uploads the file of a path and returns its id. */
  upload(path: string, title: string): Promise<string>;
  file(id: string): Promise<DemoFile>;
  timeline(id: string): Promise<DemoTimeline>;
  /** The bytes of a variant, from wherever the API sends us. */
  variant(id: string, type: string): Promise<Uint8Array>;
}

/** @throws StackError, from every call, with what the API had to say against it */
export function createDemoApi(apiUrl: string, apiKey: string): DemoApi {
  async function call(path: string, init: RequestInit = {}): Promise<Response> {
    const answer = await fetch(`${apiUrl}${path}`, {
      ...init,
      // Not X-API-Key: this one header is left out where a redirect leads to another server.
      headers: { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    if (answer.ok) return answer;
    throw new StackError(`${init.method ?? 'GET'} ${path} answered ${answer.status}: ${await answer.text()}`);
  }

  return {
    async upload(path, title) {
      const form = new FormData();
      form.set('file', new Blob([await readFile(path)]), basename(path));
      form.set('title', title);
      const answer = await call('/files/upload', { method: 'POST', body: form });
      return ((await answer.json()) as { file_id: string }).file_id;
    },
    file: async (id) => (await call(`/files/${id}`)).json() as Promise<DemoFile>,
    timeline: async (id) => (await call(`/files/${id}/timeline`)).json() as Promise<DemoTimeline>,
    variant: async (id, type) =>
      new Uint8Array(await (await call(`/files/${id}/variant/${type}`)).arrayBuffer()),
  };
}
