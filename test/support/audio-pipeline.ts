import { registerPipeline, type Pipeline } from '../../domain/pipelines/index.ts';
import type { PipelineOf } from '../../domain/pipelines/pipeline.ts';

/** The pipeline of a medium that exists only in tests. */
export const audioPipeline = {
  mediaType: 'audio',
  components: [
    {
      name: 'waveform',
      title: 'Waveform',
      statusField: 'waveform_status',
      errorField: 'waveform_error',
      dependsOn: [],
      requestedBy: 'upload',
      credits: 0,
      steps: [{ activity: 'drawWaveform', title: 'Waveform', summary: 'Waveform', work: 'io' }],
    },
    {
      name: 'transcript',
      title: 'Transcript',
      statusField: 'transcript_status',
      errorField: 'transcript_error',
      dependsOn: ['waveform'],
      requestedBy: 'auto_describe',
      credits: 2,
      steps: [
        { activity: 'findSpeech', title: 'Speech', summary: 'Time ranges with speech', work: 'cpu' },
        { activity: 'transcribe', title: 'Transcript', summary: 'Transcript', work: 'vision' },
      ],
    },
  ],
} as const satisfies PipelineOf;

/** Registers the pipeline, whose names are not in the types of the product. */
export function registerAudio(): void {
  registerPipeline(audioPipeline as PipelineOf as Pipeline);
}
