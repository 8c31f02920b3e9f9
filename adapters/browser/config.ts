import { z } from 'zod';

/** The browser that takes screenshots of the pages of links. */
export const chromiumConfig = z.object({
  CHROMIUM_PATH: z.string().min(1).optional().meta({
    description: 'path of a Chromium, which takes screenshots of the pages of links',
    shownDefault: 'none: no screenshots are taken',
  }),
  CHROMIUM_SANDBOX: z
    .enum(['on', 'off'])
    .default('on')
    .describe(
      'the sandbox of this Chromium; `off` only where the kernel allows none and the worker is in a container of its own',
    ),
  CHROMIUM_SLOTS: z.coerce
    .number()
    .int()
    .min(1)
    .default(1)
    .describe('screenshots that one worker process takes at the same time, each of up to 2 GB of memory'),
});
export type ChromiumConfig = z.output<typeof chromiumConfig>;
