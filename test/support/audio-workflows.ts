import { registerAudio } from './audio-pipeline.ts';

/** The unchanged workflows, in a bundle with an additional medium. */
registerAudio();
export * from '../../workflows/index.ts';
