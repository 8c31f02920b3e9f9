import { registerAudio } from './audio-pipeline.ts';

/** The workflows as they are, in a bundle that knows one medium more. */
registerAudio();
export * from '../../workflows/index.ts';
