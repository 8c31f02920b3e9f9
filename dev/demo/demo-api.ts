import { ApiProblem } from '../../client/api-problem.ts';
import { call, json, send } from '../../client/send.ts';
import { StackError } from '../processes/stack-error.ts';

const ANSWER_MS = 30_000;

/** The files that the demo uploads. */
export interface DemoSample {
  filename: string;
  title: string;
  bytes: Uint8Array;
}

/** The used fields of `GET /files/{id}`. */
export type DemoFile = DemoImage | DemoDocument;

interface DemoFileBase {
  id: string;
  title: string;
  format: string;
  size_bytes: number;
  primary_status: string;
  description_status: string;
  upload_description: string | null;
}

export interface DemoImage extends DemoFileBase {
  media_type: 'image';
  dimensions: { width: number; height: number } | null;
  variant_status: string;
  visible_text: string | null;
  tags: string[];
  blur_hash: string | null;
}

export interface DemoDocument extends DemoFileBase {
  media_type: 'document';
  text_extraction_status: string;
  digitization_status: string;
  page_count: number | null;
  chunk_count: number | null;
  extracted_text: string | null;
}

/** The used fields of `GET /files/{id}/timeline`. */
export interface DemoTimeline {
  workflow_id: string;
  explanation: string;
  runs: { run_id: string; steps: { step: string; attempt: number; duration_ms: number | null }[] }[];
}

/** The endpoints of the public HTTP API that the demo uses. */
export interface DemoApi {
  /** Returns the file's id. */
  upload(sample: DemoSample): Promise<string>;
  file(id: string): Promise<DemoFile>;
  timeline(id: string): Promise<DemoTimeline>;
  /** The bytes of a variant, following the API's redirect. */
  variant(id: string, type: string): Promise<Uint8Array>;
  /** Similar images, best first. */
  similar(id: string): Promise<{ id: string; similarity: number }[]>;
  /** Ids of the files that a search finds, best first. */
  search(words: string): Promise<string[]>;
  /** The part of these documents that answers a question best. */
  ask(question: string, documentIds: string[]): Promise<DemoAnswer | undefined>;
}

/** The used fields of a hit of `POST /files/search`. */
export interface DemoAnswer {
  document_id: string;
  content: string;
  page_numbers: number[];
}

/** @throws StackError from every call, with the API's response */
export function createDemoApi(apiUrl: string, apiKey: string): DemoApi {
  const target = { url: apiUrl, key: apiKey };

  async function ask<T>(method: string, path: string, init: RequestInit = {}): Promise<T> {
    const signal = AbortSignal.timeout(ANSWER_MS);
    try {
      return (await call<T>(target, method, path, { ...init, signal })).body;
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      throw new StackError(`${method} ${path} answered ${error.status}: ${error.message}`, { cause: error });
    }
  }

  return {
    async upload({ filename, title, bytes }) {
      const form = new FormData();
      form.set('file', new Blob([bytes]), filename);
      form.set('title', title);
      return (await ask<{ file_id: string }>('POST', '/files/upload', { body: form })).file_id;
    },
    file: (id) => ask<DemoFile>('GET', `/files/${id}`),
    timeline: (id) => ask<DemoTimeline>('GET', `/files/${id}/timeline`),
    async variant(id, type) {
      const path = `/files/${id}/variant/${type}`;
      const answer = await send(target, 'GET', path, { signal: AbortSignal.timeout(ANSWER_MS) });
      if (!answer.ok) throw new StackError(`GET ${path} answered ${answer.status}: ${await answer.text()}`);
      return new Uint8Array(await answer.arrayBuffer());
    },
    async similar(id) {
      const path = `/files/${id}/similar?limit=50`;
      const { items } = await ask<{ items: { image_id: string; vector_similarity: number }[] }>('GET', path);
      return items.map((item) => ({ id: item.image_id, similarity: item.vector_similarity }));
    },
    async search(words) {
      const path = `/files?limit=50&search=${encodeURIComponent(words)}`;
      return (await ask<{ items: { id: string }[] }>('GET', path)).items.map(({ id }) => id);
    },
    async ask(query, documentIds) {
      const request = json({ query, document_ids: documentIds, limit: 1 });
      return (await ask<{ items: DemoAnswer[] }>('POST', '/files/search', request)).items[0];
    },
  };
}
