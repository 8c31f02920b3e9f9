import {
  ApiError,
  Darkroom,
  type Data,
  type FileDetail,
  type SearchAnswer,
  type Variant,
} from '../../sdk/src/index.ts';
import { StackError } from '../processes/stack-error.ts';

const ANSWER_MS = 30_000;

/** The files that the demo uploads. */
export interface DemoSample {
  filename: string;
  title: string;
  bytes: Uint8Array;
}

export type DemoFile = FileDetail;
export type DemoImage = Extract<FileDetail, { media_type: 'image' }>;
export type DemoDocument = Extract<FileDetail, { media_type: 'document' }>;
export type DemoVideo = Extract<FileDetail, { media_type: 'video' }>;
export type DemoLink = Extract<FileDetail, { media_type: 'link' }>;
export type DemoTimeline = Data<'/files/{file_id}/timeline', 'get'>;
export type DemoAnswer = SearchAnswer['items'][number];

/** The endpoints of the public HTTP API that the demo uses. */
export interface DemoApi {
  /** Returns the file's id. */
  upload(sample: DemoSample): Promise<string>;
  /** Returns the file's id. */
  addLink(url: string): Promise<string>;
  file(id: string): Promise<DemoFile>;
  timeline(id: string): Promise<DemoTimeline>;
  describeAgain(id: string): Promise<void>;
  /** The bytes of a variant, following the API's redirect. */
  variant(id: string, type: Variant): Promise<Uint8Array>;
  /** Similar images, best first. */
  similar(id: string): Promise<{ id: string; similarity: number }[]>;
  /** Ids of the files that a search finds, best first. */
  search(words: string): Promise<string[]>;
  /** The part of these documents and pages that answers a question best. */
  ask(question: string, documentIds: string[]): Promise<DemoAnswer | undefined>;
}

/** The calls throw a StackError with the message of the API if it returns an error. */
export function createDemoApi(baseUrl: string, apiKey: string): DemoApi {
  const client = new Darkroom({ baseUrl, apiKey, timeoutMs: ANSWER_MS });
  const { api } = client;
  const fileOf = (id: string) => ({ params: { path: { file_id: id } } });

  async function orStackError<T>(answer: Promise<T>): Promise<T> {
    return answer.catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      throw new StackError(`${error.request} answered ${error.status}: ${error.message}`, { cause: error });
    });
  }

  return {
    upload: async ({ bytes, ...known }) => (await orStackError(client.upload(bytes, known))).file_id,
    addLink: async (url) => (await orStackError(api.POST('/files/links', { body: { url } }))).data.file_id,
    file: async (id) => (await orStackError(api.GET('/files/{file_id}', fileOf(id)))).data,
    timeline: async (id) => (await orStackError(api.GET('/files/{file_id}/timeline', fileOf(id)))).data,
    async describeAgain(id) {
      const body = { components: ['description' as const] };
      await orStackError(api.POST('/files/{file_id}/retry', { ...fileOf(id), body }));
    },
    async variant(id, type) {
      const answer = await orStackError(client.download(id, { variant: type }));
      return new Uint8Array(await answer.arrayBuffer());
    },
    async similar(id) {
      const items = await orStackError(client.similar(id, { limit: 50 }));
      return items.map((item) => ({ id: item.image_id, similarity: item.vector_similarity }));
    },
    async search(words) {
      const query = { limit: 50, search: words };
      return (await orStackError(api.GET('/files', { params: { query } }))).data.items.map(({ id }) => id);
    },
    ask: async (question, documentIds) =>
      (await orStackError(client.search(question, { document_ids: documentIds, limit: 1 }))).items[0],
  };
}
