import type { PipelineOf } from './pipeline.ts';

/**
 * A video is decoded once, for its scenes; later steps work on its key frames, which are images. "Video
 * completion reserves 2 credits", which include the first description; a repeated description costs another
 * credit.
 */
export const videoPipeline = {
  mediaType: 'video',
  directOnly: true,
  components: [
    {
      name: 'video_analysis',
      title: 'Video analysis',
      statusField: 'video_analysis_status',
      errorField: 'video_analysis_error',
      dependsOn: [],
      requestedBy: 'upload',
      rendersVariants: true,
      credits: 2,
      // Different from the description, so that a failed description does not refund these credits.
      operation: 'digitize',
      steps: [
        { activity: 'probeVideo', title: 'Container', summary: 'Duration, codec and tracks', work: 'video' },
        { activity: 'findScenes', title: 'Scenes', summary: 'Scenes and their best frames', work: 'video' },
        {
          activity: 'renderKeyFrames',
          title: 'Key frames',
          summary: 'Key frames, thumbnail and variants',
          work: 'video',
        },
      ],
    },
    {
      name: 'description',
      title: 'Description',
      statusField: 'description_status',
      errorField: 'description_error',
      dependsOn: ['video_analysis'],
      redoneWith: ['video_analysis'],
      requestedBy: 'auto_describe',
      credits: 1,
      includedIn: ['video_analysis'],
      steps: [
        {
          activity: 'readFrameText',
          title: 'Visible text',
          summary: 'Visible text of the key frames',
          work: 'ocr',
        },
        { activity: 'describeVideo', title: 'Description', summary: 'Description', work: 'vision' },
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
