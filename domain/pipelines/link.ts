import type { PipelineOf } from './pipeline.ts';

/** A web page. Its text becomes elements, chunks and vectors, as for a document. */
export const linkPipeline = {
  mediaType: 'link',
  components: [
    {
      name: 'crawl',
      title: 'Crawl',
      statusField: 'crawl_status',
      errorField: 'crawl_error',
      dependsOn: [],
      requestedBy: 'upload',
      credits: 0,
      steps: [
        { activity: 'crawlPage', title: 'Page', summary: 'Text and metadata of the page', work: 'web' },
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
      name: 'variant',
      title: 'Variants',
      statusField: 'variant_status',
      errorField: 'variant_error',
      dependsOn: ['crawl'],
      redoneWith: ['crawl'],
      requestedBy: 'upload',
      credits: 0,
      steps: [
        { activity: 'renderPreview', title: 'Preview', summary: 'Variants of its best image', work: 'web' },
      ],
    },
    {
      name: 'description',
      title: 'Description',
      statusField: 'description_status',
      errorField: 'description_error',
      dependsOn: ['crawl'],
      requestedBy: 'auto_describe',
      credits: 1,
      steps: [
        { activity: 'describeDocument', title: 'Description', summary: 'Summary and tags', work: 'vision' },
      ],
    },
  ],
} as const satisfies PipelineOf;
