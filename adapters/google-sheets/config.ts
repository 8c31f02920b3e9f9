import { z } from 'zod';

/** Exports to Google Sheets: the OAuth client registered by the operator, or none. */
export const googleConfig = z
  .object({
    GOOGLE_CLIENT_ID: z
      .string()
      .optional()
      .describe('OAuth client with the scope `drive.file`, for exports to spreadsheets'),
    GOOGLE_CLIENT_SECRET: z.string().optional().describe('its secret'),
    GOOGLE_BASE_URL: z
      .url({ protocol: /^https?$/, error: 'must be a URL' })
      .optional()
      .describe('one address in place of the three of Google, for a gateway in between'),
  })
  .superRefine((config, context) => {
    if (!config.GOOGLE_CLIENT_ID || config.GOOGLE_CLIENT_SECRET) return;
    const message = 'is needed with GOOGLE_CLIENT_ID';
    context.addIssue({ code: 'custom', path: ['GOOGLE_CLIENT_SECRET'], message });
  });
export type GoogleConfig = z.output<typeof googleConfig>;
