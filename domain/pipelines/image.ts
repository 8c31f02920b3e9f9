import { EXTRACT_BY_SCHEMA } from './extract-by-schema.ts';
import type { PipelineOf } from './pipeline.ts';

export const imagePipeline = {
  mediaType: 'image',
  fastPath: {
    activity: 'makeImage',
    summary: 'Variants, text, description and index entry',
    work: 'cpu',
    always: true,
  },
  components: [
    {
      name: 'variant',
      title: 'Variants',
      statusField: 'variant_status',
      errorField: 'variant_error',
      dependsOn: [],
      requestedBy: 'upload',
      rendersVariants: true,
      credits: 0,
      steps: [
        {
          activity: 'renderVariants',
          title: 'Variants',
          summary: 'Variants, blur hash and measurements',
          work: 'cpu',
        },
      ],
    },
    {
      name: 'description',
      title: 'Description',
      statusField: 'description_status',
      errorField: 'description_error',
      dependsOn: ['variant'],
      requestedBy: 'auto_describe',
      credits: 1,
      steps: [
        { activity: 'readText', title: 'Visible text', summary: 'Visible text', work: 'ocr' },
        { activity: 'describeImage', title: 'Description', summary: 'Description', work: 'vision' },
        {
          activity: 'indexImage',
          title: 'Similarity index',
          summary: 'Entry in the similarity index',
          work: 'index',
        },
      ],
    },
    {
      name: 'extraction',
      title: 'Extraction',
      statusField: 'extraction_status',
      errorField: 'extraction_error',
      // Independent of the description: an image that a model refuses to describe may still be measured.
      dependsOn: ['variant'],
      requestedBy: 'extraction',
      credits: 1,
      operation: 'extract',
      includedIn: ['description'],
      steps: [
        {
          activity: 'extractDomains',
          title: 'Domain extraction',
          summary: 'What the category asks for',
          work: 'vision',
          requestedBy: 'category',
        },
        EXTRACT_BY_SCHEMA,
        {
          activity: 'checkCompliance',
          title: 'Compliance check',
          summary: 'Compliance with the standard',
          work: 'vision',
          requestedBy: 'compliance',
        },
      ],
    },
  ],
} as const satisfies PipelineOf;

/** Activity type of a step of an image. */
export type ImageStep = (typeof imagePipeline)['components'][number]['steps'][number]['activity'];
