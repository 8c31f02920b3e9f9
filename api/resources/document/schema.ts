/** What responses say of documents. The file is long because it lists their fields. */
import { z } from 'zod';
import { DEFAULT_PAGE_WIDTH, MAX_PAGE_WIDTH, PAGE_WIDTHS } from '../../../domain/documents/page-image.ts';
import { EMBEDDING_STATUSES } from '../../../domain/documents/split-element.ts';
import { MEDIA_TYPES } from '../../../domain/media.ts';
import { ELEMENT_TYPES } from 'darkroom-reader/document';
import {
  MAX_CHUNK_ELEMENTS,
  MAX_CHUNKS_LISTED,
  MAX_SEARCH_IDS,
  MAX_SEARCH_QUERY,
  MAX_SEARCH_RESULTS,
} from '../../../domain/limits.ts';
import { optional, optionalWith, text } from '../../../domain/schemas/text.ts';
import { flag, integerIn, repeatable } from '../../../domain/schemas/query.ts';
import { fileParams } from '../file/schema.ts';
import { componentField, count, duration, errorMessage, filename, pageBox, pageCount } from '../fields.ts';
import { foundFile } from '../found-file.ts';
import { workStatus, chunkRole, chunkType, medium, rankedBy } from '../enums.ts';

const documentId = z.uuid().describe('Id of the document, which is a file');
const pageNumber = z.int().min(1);
const score = z.number().min(0).max(1);

export const documentText = z
  .object({
    document_id: documentId,
    filename,
    text: z
      .string()
      .meta({ description: 'Text of all pages that have been read, with their headers and footers' }),
    page_count: pageCount,
    metadata: z
      .object({
        language: z.string().nullable().meta({ description: 'Language, ISO 639-1; null if unknown' }),
        title: z
          .string()
          .nullable()
          .meta({ description: 'Title in the metadata of the document; null without one' }),
        author: z
          .string()
          .nullable()
          .meta({ description: 'Author in the metadata of the document; null without one' }),
        created_at: z.string().nullable().meta({
          description: 'Creation date in the metadata of the document, unparsed; null without one',
        }),
      })
      .describe('Metadata of the document, and its language'),
  })
  .meta({ id: 'DocumentText' });

const elementId = z.string().meta({
  description: 'Id of the element in its document; another once its page was read or laid out again',
});

const chunk = {
  chunk_id: z.string().describe('Id of the chunk; the same as long as its text does not change'),
  document_id: documentId,
  document_filename: filename.describe('File name of the document'),
  chunk_index: count.describe('Position among the chunks of its document, from 0'),
  content: z.string().describe('Text of the chunk'),
  page_numbers: z.array(pageNumber).describe('Pages of the text; empty for a web page'),
  heading_hierarchy: z.array(z.string()).meta({ description: 'The headings above it, outermost first' }),
  elements: z
    .array(
      z
        .object({
          element_id: elementId,
          page_number: pageNumber.describe('Page that has the element'),
          bounding_box: componentField(pageBox, '0–1 of the page, from its top left corner'),
        })
        .meta({ id: 'ChunkElement' }),
    )
    .max(MAX_CHUNK_ELEMENTS)
    .meta({
      description:
        'The elements of pages that it has the text of, in order, to show it on its pages; empty for a web page, and while ' +
        'its pages are read again',
    }),
};

const chunkFacts = {
  chunk_type: chunkType.describe('What the chunk consists of'),
  role: chunkRole.meta({
    description:
      '`contents` also of lists of figures and tables; contents and indexes are found after all text of the documents',
  }),
};

const elementType = z.enum(ELEMENT_TYPES).meta({ id: 'ElementType' });

export const chunksQuery = z.object({
  include_embeddings: flag.default(false).meta({ description: 'Adds the vectors, and `status_counts`' }),
  offset: integerIn(0, 1_000_000_000).default(0).describe('Number of chunks to skip'),
  limit: integerIn(1, MAX_CHUNKS_LISTED).optional().describe('Maximum number of chunks; by default all'),
});

export const chunksAnswer = z
  .object({
    document_id: documentId,
    chunks: z
      .array(
        z
          .object({
            ...chunk,
            similarity_score: z.null().describe('Always null; hits of a search have one'),
            metadata: z
              .object({
                token_count: count.describe('Number of tokens of the chunk'),
                ...chunkFacts,
                embedding_status: z.enum(EMBEDDING_STATUSES).describe('Status of the embedding of the chunk'),
              })
              .describe('Facts about the chunk'),
            embedding: z.array(z.number()).nullable().optional().meta({
              description: 'Embedding of the text, with include_embeddings; null until there is one',
            }),
          })
          .meta({ id: 'Chunk' }),
      )
      .describe('Chunks in the order of the text'),
    total_chunks: count.describe('Number of chunks of the document'),
    status_counts: z
      .object({
        completed: count.describe('Chunks with an embedding'),
        pending: count.describe('Chunks whose embedding has not been made yet'),
        failed: count.describe('Chunks whose embedding has failed'),
      })
      .optional()
      .meta({ description: 'Number of chunks by the status of their embedding, with include_embeddings' }),
  })
  .meta({ id: 'DocumentChunks' });

const tableCell = z
  .object({
    text: z.string().describe('Text of the cell, with its line breaks'),
    markdown: z
      .string()
      .optional()
      .describe('The text with what is struck out (`~~12.00~~`) and its links; absent without any'),
    row_span: z.int().min(2).optional().describe('Number of rows that it covers; absent for one'),
    column_span: z.int().min(2).optional().describe('Number of columns that it covers; absent for one'),
    bounding_box: componentField(
      pageBox,
      '0–1 of the page, of the cell or, without lines around it, of its text; absent where it is not known',
    ).optional(),
  })
  .meta({ id: 'TableCell' });

export const pageElement = z.object({
  element_id: elementId,
  type: elementType.describe('Kind of the element'),
  content: z.string().meta({
    description:
      'Markdown: tables, lists, what is struck out, links to absolute addresses; code with its lines and indents. Raised and lowered numbers are Unicode (`10⁶`, `m²`)',
  }),
  rows: z.array(z.array(tableCell)).optional().meta({
    description:
      'Cells of a table by row, the header first, which also say what Markdown cannot: line breaks, and merged cells, which are in the row in which they begin. Absent for other elements',
  }),
  bounding_box: componentField(pageBox, '0–1 of the page, from its top left corner'),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).meta({
    description:
      'Facts such as the `level` of a heading, the `header_rows` of a table with several, or `header_repeated` of one that goes on from the page before and has its header from there; `role` is `page_header` or `page_footer` of lines that repeat over four pages or more, `footnote` of footnotes, `caption` of captions of tables and figures, `notes` of the notes of a slide',
  }),
});

export const digitizedPage = z
  .object({
    page_number: pageNumber.describe('Number of the page, from 1'),
    status: workStatus.describe('State of the page'),
    element_count: count.describe('Number of elements of the page'),
    elements: z.array(pageElement).describe('Elements of the page, in reading order'),
    error_message: errorMessage,
    content_hash: z.string().nullable().meta({
      description: 'SHA-256 of the elements, not affected by retries of other pages; null until read',
    }),
    source: z
      .enum(['text_layer', 'ocr', 'document'])
      .nullable()
      .meta({ description: 'Source of the text; null until read' }),
    layout: z
      .object({
        provider: z.string().meta({ description: 'Provider of the model; `local` for rules' }),
        model: z.string().describe('Model or version of the rules that divided the page'),
        prompt_version: z.string().nullable().meta({ description: 'Version of the prompt; null for rules' }),
        confidence: z.number().min(0).max(1).nullable().meta({
          description:
            'How sure the rules were of their layout; null for formats that state their structure, and for pages read before this was measured',
        }),
        is_due: z.boolean().meta({
          description:
            'Whether layout by a model is still due; until then, the elements are those of the rules',
        }),
        error_message: z.string().nullable().meta({
          description:
            'Why layout by the model failed, so that the page keeps the elements of the rules; null if it did not',
        }),
      })
      .nullable()
      .meta({ description: 'Provider and model of the layout; null until read' }),
  })
  .meta({ id: 'DigitizedPage' });

export const digitizationQuery = z.object({
  element_types: repeatable(
    elementType,
    ELEMENT_TYPES.length,
    'Only elements of these kinds, such as `heading` for an outline; every page is listed',
    'no elements',
  ),
});

export const digitization = z
  .object({
    document_id: documentId,
    status: workStatus.describe('State of the digitization'),
    total_pages: count.describe('Number of pages of the document'),
    completed_pages: count.describe('Number of pages that have been read'),
    failed_pages: count.describe('Number of pages that could not be read'),
    reading_note: z
      .string()
      .nullable()
      .meta({
        description:
          'What to know of how the document was read: that its encoding is a guess, that parts of it were not read, or that ' +
          'Markdown was read as plain text; usually null',
      }),
    pages: z.array(digitizedPage).describe('Pages in their order'),
  })
  .meta({ id: 'Digitization' });

export const digitizationStatus = z
  .object({
    document_id: documentId,
    status: workStatus.describe('State of the digitization'),
    total_pages: count.describe('Number of pages of the document'),
    page_statuses: z
      .record(z.string(), workStatus)
      .meta({ description: 'Status of each page, by its number' }),
  })
  .meta({ id: 'DigitizationStatus' });

export const pageParams = fileParams.extend({
  page_number: z.string().meta({
    override: { type: 'integer', minimum: 1, format: 'int32' },
    description: 'Number of a page, from 1',
  }),
});

export const pageImageQuery = z.strictObject({
  width: integerIn(1, MAX_PAGE_WIDTH)
    .default(DEFAULT_PAGE_WIDTH)
    .describe(`Width in pixels, rounded up to one of ${PAGE_WIDTHS.join(', ')}; a scan is not enlarged`),
});

export const searchBody = z.strictObject({
  query: text(MAX_SEARCH_QUERY)
    .refine((query) => query.trim() !== '', 'must have a character')
    .meta({
      override: { type: 'string', minLength: 1, maxLength: MAX_SEARCH_QUERY, pattern: '\\S' },
      description:
        'A question, or words, in any language. Characters of Chinese and Japanese count as words; Thai, Lao and Khmer, which have no spaces, need a model that knows them.',
    }),
  limit: optionalWith(z.int().min(1).max(MAX_SEARCH_RESULTS), 10).describe(
    'Maximum number of hits: of passages, and of images and videos',
  ),
  similarity_threshold: optionalWith(score, 0).meta({
    description: 'Minimum similarity_score of a passage; 0 for no minimum',
  }),
  rerank: optionalWith(z.boolean(), false).describe(
    'Whether a model that reads the query with each of the first 16 passages helps to put these in order. Takes about a second longer',
  ),
  document_ids: optional(z.array(z.guid().toLowerCase()).max(MAX_SEARCH_IDS)).meta({
    description: 'Search the passages of only these documents, by default of all; an empty list finds none',
  }),
  media_types: optional(z.array(medium).max(MEDIA_TYPES.length)).meta({
    description:
      'What to search: passages of each `document` and `link`, by default of both; each `image` and `video` as a whole. ' +
      'An empty list finds nothing',
  }),
});

export const searchAnswer = z
  .object({
    query: z.string().describe('The query as searched'),
    items: z
      .array(
        z
          .object({
            ...chunk,
            source_url: z.url().nullable().meta({
              description: 'URL by which the document or web page was added; null for an upload',
            }),
            score: score.meta({
              description:
                'Rank of the hit, 0–1: the words of the query that the chunk has, and its similarity, together. Hits are in ' +
                'this order, but for contents pages and indexes, which are last',
            }),
            similarity_score: score.nullable().meta({
              description:
                'Cosine similarity of the embeddings of chunk and query, 0–1, also of a hit that was found by its words; ' +
                'null while the chunk has no embedding',
            }),
            metadata: z.object(chunkFacts).describe('Facts about the chunk'),
          })
          .meta({ id: 'ChunkHit' }),
      )
      .describe('Passages, best first'),
    total_count: count.describe('Number of passages'),
    ranked_by: rankedBy.nullable().meta({
      description:
        '`words` while the model or the index cannot be reached: then passages have no similarity_score, and a search with ' +
        'a similarity_threshold is refused. Null if no passages were searched',
    }),
    reranked: z
      .boolean()
      .describe(
        'Whether that model has put passages in order: only with `rerank`, where the model is there and had enough time. ' +
          'Their `score` is then mostly its rating',
      ),
    files: z.array(foundFile).describe('Images and videos, best first; empty unless `media_types` has them'),
    files_ranked_by: rankedBy.nullable().meta({
      description:
        '`words` without a model that compares images with texts, and while it or the index cannot be reached: then files ' +
        'are found by their title, name, tags, description and visible text. Null if no images or videos were searched',
    }),
    search_time_ms: duration.describe('Duration of the search in milliseconds'),
  })
  .meta({ id: 'ChunkSearch' });
