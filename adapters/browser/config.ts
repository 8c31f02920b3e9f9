import { z } from 'zod';

/** The browser that takes screenshots of the pages of links. */
export const chromiumConfig = z
  .object({
    CHROMIUM_PATH: z.string().min(1).optional().meta({
      description: 'path of a Chromium, which takes screenshots of the pages of links',
      shownDefault: 'none: no screenshots are taken',
    }),
    CHROMIUM_SANDBOX: z
      .enum(['on', 'off'])
      .default('on')
      .describe(
        'the sandbox of this Chromium; `off` only where the kernel allows none, and only of a worker that is root in a container of its own: the browser is `nobody` then',
      ),
    CHROMIUM_SLOTS: z.coerce
      .number()
      .int()
      .min(1)
      .default(1)
      .describe('screenshots that one worker process takes at the same time, each of up to 2 GB of memory'),
  })
  .superRefine(({ CHROMIUM_PATH, CHROMIUM_SANDBOX }, context) => {
    if (CHROMIUM_PATH === undefined || CHROMIUM_SANDBOX === 'on' || process.getuid?.() === 0) return;
    // Pages that take over a browser could read the memory and the keys of a worker of the same user.
    context.addIssue({
      code: 'custom',
      path: ['CHROMIUM_SANDBOX'],
      message: '`off` needs a worker that is root, whose browser is another user',
    });
  });
export type ChromiumConfig = z.output<typeof chromiumConfig>;
