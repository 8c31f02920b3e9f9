import { registerAudio } from './audio-pipeline.ts';

/** A bundle of the unchanged workflows with an additional medium. */
registerAudio();
export * from '../../workflows/index.ts';
