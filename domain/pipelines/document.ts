import { EXTRACT_BY_SCHEMA } from './extract-by-schema.ts';
import type { PipelineOf } from './pipeline.ts';

/**
 * The pages of a document are read once, for its text and its structure. Chunks are made from all pages, so the second
 * component begins when the text is complete.
 */
export const documentPipeline = {
  mediaType: 'document',
  fastPath: { activity: 'makeDocument', summary: 'Pages, text and chunks', work: 'documents' },
  components: [
    {
      name: 'text_extraction',
      title: 'Text extraction',
      statusField: 'text_extraction_status',
      errorField: 'text_extraction_error',
      dependsOn: [],
      requestedBy: 'upload',
      // The first pages; the others are reserved once they are counted, see services/documents/inspect-document.ts.
      credits: 1,
      operation: 'digitize',
      readsPages: true,
      // "409 while document text extraction or embedding is in progress"
      blocksDeletion: true,
      steps: [
        { activity: 'inspectDocument', title: 'Document', summary: 'Pages and language', work: 'documents' },
        {
          activity: 'digitizeDocument',
          title: 'Pages',
          summary: 'Text and structure of the pages',
          work: 'child',
        },
      ],
    },
    {
      name: 'digitization',
      title: 'Digitization',
      statusField: 'digitization_status',
      errorField: 'digitization_error',
      dependsOn: ['text_extraction'],
      redoneWith: ['text_extraction'],
      requestedBy: 'upload',
      credits: 0,
      blocksDeletion: true,
      steps: [
        { activity: 'chunkDocument', title: 'Chunks', summary: 'Chunks', work: 'documents' },
        {
          activity: 'indexChunks',
          title: 'Search index',
          summary: 'Embeddings in the search index',
          work: 'embedding',
        },
      ],
    },
    {
      // After the chunks, so that no text waits for it; before the description, whose model may be unreachable for long.
      name: 'preview',
      title: 'Preview',
      statusField: 'preview_status',
      errorField: 'preview_error',
      dependsOn: ['text_extraction'],
      requestedBy: 'upload',
      rendersVariants: true,
      credits: 0,
      steps: [
        {
          activity: 'renderFirstPage',
          title: 'First page',
          summary: 'Variants of the first page',
          work: 'documents',
        },
      ],
    },
    {
      name: 'description',
      title: 'Description',
      statusField: 'description_status',
      errorField: 'description_error',
      dependsOn: ['text_extraction'],
      requestedBy: 'auto_describe',
      credits: 1,
      steps: [
        { activity: 'describeDocument', title: 'Description', summary: 'Summary and tags', work: 'vision' },
      ],
    },
    {
      name: 'extraction',
      title: 'Extraction',
      statusField: 'extraction_status',
      errorField: 'extraction_error',
      dependsOn: ['text_extraction'],
      redoneWith: ['text_extraction'],
      requestedBy: 'schema',
      // The credits of the schema extraction are reserved separately, see domain/accounts/credits.ts.
      credits: 0,
      operation: 'extract',
      steps: [EXTRACT_BY_SCHEMA],
    },
  ],
} as const satisfies PipelineOf;
