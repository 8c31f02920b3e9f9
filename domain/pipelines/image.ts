import type { PipelineOf } from './pipeline.ts';

export const imagePipeline = {
  mediaType: 'image',
  fastPath: { activity: 'makeImage', summary: 'Variants, text, description and index entry', work: 'cpu' },
  components: [
    {
      name: 'variant',
      title: 'Variants',
      statusField: 'variant_status',
      errorField: 'variant_error',
      dependsOn: [],
      needsAutoDescribe: false,
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
      needsAutoDescribe: true,
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
  ],
} as const satisfies PipelineOf;

/** Activity type of a step of an image. */
export type ImageStep = (typeof imagePipeline)['components'][number]['steps'][number]['activity'];
