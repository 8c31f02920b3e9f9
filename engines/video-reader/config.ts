import { z } from 'zod';

/** The program that decodes videos. */
export const ffmpegConfig = z.object({
  FFMPEG_PATH: z.string().min(1).optional().meta({
    description: 'path of the `ffmpeg`, 5 or newer, that decodes videos: a program, not a script around it',
    shownDefault: 'the one on PATH, otherwise fetched with `pip` at the first video',
  }),
});
export type FfmpegConfig = z.output<typeof ffmpegConfig>;
