import { z } from 'zod';
import { publicBaseUrl } from '../../domain/schemas/addresses.ts';

/** Settings of the mailer. */
export const mailConfig = z.object({
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// URL' })
    .optional()
    .describe(
      'mail server: `smtp://user:password@host:587`, or `smtps://` for TLS from the start; without it, emails wait',
    ),
  MAIL_FROM: z.string().min(1).default('Darkroom <no-reply@localhost>').describe('sender of emails'),
  MAIL_FOLDER: z
    .string()
    .optional()
    .describe('without `SMTP_URL`: folder for emails as `.eml` files; `npm start` sets it'),
  /** Base of the links in emails. */
  PUBLIC_BASE_URL: publicBaseUrl.default(() => new URL('http://localhost:8080')),
});
export type MailConfig = z.output<typeof mailConfig>;
