/** The tools that agents call. The file is long because all have one form, and their texts are read together. */
import type { z } from 'zod';
import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import { createSchema } from 'zod-openapi';
import { idempotencyHeader } from '../http/idempotent.ts';
import type { ProtectedRoute } from '../http/route.ts';
import { SCHEMA_OPTIONS } from '../openapi/document.ts';
import { WHOLE_DOCUMENT } from '../routes/whole-document.ts';
import { bodyOf, IDEMPOTENCY_KEY, operationOf, type Arguments } from './call-operation.ts';

/** An operation of the API as a tool for agents: its fields are the arguments, its answer is the result. */
export interface Tool {
  name: string;
  title: string;
  route: ProtectedRoute;
  /**
   * Advice to agents beyond the summary of the operation, such as where to find the rest of a long answer.
   */
  hint: string;
  /** Fields of the operation that are not arguments of the tool. */
  without: readonly string[];
  /** Defaults of arguments, where those of the operation would return too much for an agent. */
  defaults: Arguments;
  /** Names of the lists in the answer and in their entries; `drops` applies to all of these as well. */
  entries?: readonly string[];
  /** Fields of the answer and its entries that are of no use to an agent. */
  drops: readonly string[];
  /** Maximum length in characters of each text in the answer. */
  longestText: number;
  /** Whether the tool connects to addresses that the caller names. */
  openWorld: boolean;
}

type Declared = Pick<Tool, 'name' | 'title' | 'hint'> & Partial<Tool> & { operationId: string };

/** Maximum characters of a text in a list, and of a text read by itself. */
const EXCERPT = 1000;
const LONG_TEXT = 20_000;
/** Dropped: they expire, and agents have a tool to view images. */
const URLS = [
  'thumbnail_url',
  'medium_url',
  'full_url',
  'original_url',
  'document_url',
  'video_url',
  'screenshot_url',
  'favicon_url',
  'poll_url',
  'status_url',
  'processing_status_url',
];
/** Dropped: an agent has no server to receive events. */
const WEBHOOK = ['webhook_url', 'webhook_secret'];

function tool({ operationId, ...declared }: Declared): Tool {
  return {
    route: operationOf(operationId),
    without: [],
    defaults: {},
    drops: URLS,
    longestText: LONG_TEXT,
    openWorld: false,
    ...declared,
  };
}

/** Name of the tool whose result is an image. */
/** Tools whose result is the picture that their operation redirects to. */
export const VIEW_TOOLS: ReadonlySet<string> = new Set(['view_image', 'view_page']);

export const TOOLS: readonly Tool[] = [
  tool({
    name: 'search_documents',
    title: 'Search documents and images',
    operationId: 'searchDocuments',
    hint: 'Every hit names its document and pages for citation. read_chunks and read_page show the surrounding text. With media_types image and video, files has what the query describes: view_image shows one.',
    entries: ['items', 'files'],
    drops: ['chunk_id', 'elements', ...URLS],
  }),
  tool({
    name: 'ask_documents',
    title: 'Ask documents a question',
    operationId: 'askDocuments',
    hint: 'Returns sentences with quotes and pages; trust those that are `supported`, and compare the others with the passages. `answered: false`: not in these documents. May cost credits; free without a model. If it takes longer than the timeout, get_answer has the result.',
    // Clients give up after 60 seconds.
    defaults: { timeout: 45 },
    entries: ['passages', 'sentences', 'citations'],
    drops: [...URLS, 'bounding_box', 'usage'],
  }),
  tool({
    name: 'get_answer',
    title: 'Answer to a question',
    operationId: 'getAnswer',
    hint: 'For the answer_id of ask_documents.',
    entries: ['passages', 'sentences', 'citations'],
    drops: [...URLS, 'bounding_box', 'usage'],
  }),
  tool({
    name: 'list_files',
    title: 'List or find files',
    operationId: 'listFiles',
    hint: 'Finds images, documents, videos and links by words, tags, medium, status, folder and date. Texts are excerpts: get_file returns more.',
    entries: ['items'],
    drops: [...URLS, 'blur_hash'],
    longestText: EXCERPT,
  }),
  tool({
    name: 'get_file',
    title: 'Describe a file',
    operationId: 'getFile',
    hint: 'Returns description, text, extracted data and status; for a video the key frames with their times, for a link the metadata of its page. The rest of a long text: read_page for a document, read_chunks for a link.',
    without: ['format'],
    entries: ['key_frames'],
    drops: [...URLS, 'blur_hash', 'text_regions', 'detected_objects', 'full_descriptions'],
  }),
  tool({
    name: 'read_page',
    title: 'Read a page of a document',
    operationId: 'getDigitizedPage',
    hint: 'Headings, paragraphs, lists and tables in reading order. get_file says how many pages there are.',
    entries: ['elements'],
    drops: ['element_id', 'bounding_box', 'content_hash', 'layout', 'element_count'],
  }),
  tool({
    name: 'read_chunks',
    title: 'Read passages of a document or a link',
    operationId: 'listDocumentChunks',
    hint: 'Chunks are in the order of the text; offset is the chunk_index of the first one, total_chunks the number of all.',
    without: ['include_embeddings'],
    defaults: { limit: 20 },
    entries: ['chunks'],
    drops: ['chunk_id', 'elements', 'metadata'],
  }),
  tool({
    name: 'view_image',
    title: 'Look at an image or a video',
    operationId: 'getFileVariant',
    hint: 'Returns the image itself, or the best frame of a video. `medium_750` is usually enough; `original` works only for images of up to 4 MB.',
    defaults: { variant_type: 'medium_750' },
  }),
  tool({
    name: 'view_page',
    title: 'Look at a page of a document',
    operationId: 'getPageImage',
    hint: 'Returns the picture of the page, for what its text does not say: charts, stamps, signatures, the layout of a form. read_page is cheaper for text.',
  }),
  tool({
    name: 'add_image',
    title: 'Add an image by its URL',
    operationId: 'analyzeImage',
    hint: 'Fetches, stores and describes the image. If that takes longer than the timeout, get_job returns the result.',
    without: ['base64', ...WEBHOOK],
    openWorld: true,
  }),
  tool({
    name: 'add_link',
    title: 'Add a page or a file by its URL',
    operationId: 'addLink',
    hint: 'Crawls the page, or fetches the document or image at the URL. get_job or get_file returns the result; after that, search_documents finds it.',
    without: ['storage_target', ...WEBHOOK],
    openWorld: true,
  }),
  tool({
    name: 'get_job',
    title: 'Result of adding a file',
    operationId: 'getJob',
    hint: 'For the job_id of add_image, or the file_id of add_link.',
  }),
  tool({
    name: 'list_connections',
    title: 'List connected accounts and buckets',
    operationId: 'listConnections',
    hint: 'The id of one whose provider is s3 is the connection_id of import_bucket. Admins connect buckets.',
    entries: ['items'],
  }),
  tool({
    name: 'import_bucket',
    title: 'Import the files of a bucket',
    operationId: 'createImport',
    hint: 'Costs credits for each file. get_import returns the progress.',
    openWorld: true,
  }),
  tool({
    name: 'get_import',
    title: 'Progress of an import',
    operationId: 'getImport',
    hint: 'For the id of import_bucket. `reason` and `recent_errors` say what went wrong.',
  }),
  tool({
    name: 'split_document',
    title: 'Divide a PDF of several documents',
    operationId: 'splitDocument',
    hint: 'First propose with dry_run, then give the ranges that are right. Costs credits without dry_run. get_split returns the parts.',
    entries: ['parts'],
  }),
  tool({
    name: 'get_split',
    title: 'Parts of a divided PDF',
    operationId: 'getSplit',
    hint: 'For the split_id of split_document; each part that is stored has its file_id.',
    entries: ['parts'],
  }),
  tool({
    name: 'extract_data',
    title: 'Extract data by a schema',
    operationId: 'extractData',
    hint: 'Give file_id or image_url, and schema or custom_schema_id; with citations, every value names its page. Costs credits. If it takes longer than the timeout, get_extraction has the result.',
    without: ['image_base64', ...WEBHOOK],
    // Clients give up after 60 seconds.
    defaults: { timeout: 45 },
    openWorld: true,
  }),
  tool({
    name: 'get_extraction',
    title: 'Result of an extraction',
    operationId: 'getExtraction',
    hint: 'For the extraction_id of extract_data.',
  }),
  tool({
    name: 'list_extraction_schemas',
    title: 'List saved schemas',
    operationId: 'listExtractionSchemas',
    hint: 'Their ids are the custom_schema_id of extract_data.',
    entries: ['items'],
  }),
  tool({
    name: 'explain_file',
    title: 'Why a file is not done',
    operationId: 'getProcessingStatus',
    hint: '`explanation` states in one sentence the status of the file and the cause of any wait.',
  }),
  tool({
    name: 'get_timeline',
    title: 'What happened to a file',
    operationId: 'getFileTimeline',
    drops: ['workflow_url'],
    hint: 'Lists the attempts and failures of every step, for a file whose explanation is not enough.',
  }),
];

/** The listing of a tool for clients, with the schema and description of its operation. */
export function listed(listing: Tool): ListedTool {
  const { name, title, hint, route, openWorld } = listing;
  // What costs credits changes the account.
  const readOnlyHint = route.permit === 'files.read' && route.cost === undefined;
  return {
    name,
    title,
    description: `${route.summary}. ${hint}`,
    inputSchema: inputSchemaOf(listing),
    // No tool deletes or replaces anything.
    annotations: {
      readOnlyHint,
      destructiveHint: false,
      idempotentHint: readOnlyHint,
      openWorldHint: openWorld,
    },
  };
}

interface ObjectSchema {
  properties?: Record<string, object>;
  required?: string[];
}

function inputSchemaOf({ route, without, defaults }: Tool): ListedTool['inputSchema'] {
  const parts = [bodyOf(route), route.query, route.params].map((part) => (part ? fieldsOf(part) : {}));
  const key = createSchema(idempotencyHeader, { io: 'input' }).schema as ObjectSchema;
  const properties = {
    ...Object.assign({}, ...parts.map((part) => part.properties).toReversed()),
    ...(route.idempotent && { [IDEMPOTENCY_KEY]: key.properties?.['Idempotency-Key'] ?? {} }),
  } as Record<string, object>;
  for (const name of without) delete properties[name];
  for (const [name, value] of Object.entries(defaults))
    properties[name] = { ...properties[name], default: value };
  const required = parts.flatMap((part) => part.required ?? []).filter((name) => !(name in defaults));
  return selfContained({ type: 'object', properties, required, additionalProperties: false });
}

/** The fields of a part of a request; the part may be a reference to a component. */
function fieldsOf(part: z.ZodType): ObjectSchema {
  const { schema, components } = createSchema(part, { io: 'input', opts: SCHEMA_OPTIONS });
  const { $ref: reference } = schema as { $ref?: string };
  return (reference === undefined ? schema : components[reference.slice(COMPONENTS.length)]) as ObjectSchema;
}

const COMPONENTS = '#/components/schemas/';
const COMPONENT = new RegExp(`${COMPONENTS}(\\w+)`, 'g');
const { schemas: SHARED } = (
  WHOLE_DOCUMENT as { components: { schemas: Record<string, object | undefined> } }
).components;

/**
 * Adds the components that a schema refers to as its `$defs`, since it is used outside the OpenAPI document.
 */
function selfContained(schema: object): ListedTool['inputSchema'] {
  const names = new Set<string>();
  const collect = (part: object) => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(COMPONENT)) {
      if (names.has(name)) continue;
      names.add(name);
      const component = SHARED[name];
      if (!component) throw new Error(`api/openapi.json has no ${name}; npm run openapi writes it`);
      collect(component);
    }
  };
  collect(schema);
  const $defs = Object.fromEntries([...names].map((name) => [name, SHARED[name]]));
  const whole = names.size > 0 ? { ...schema, $defs } : schema;
  return JSON.parse(JSON.stringify(whole).replaceAll(COMPONENT, '#/$$defs/$1')) as ListedTool['inputSchema'];
}
