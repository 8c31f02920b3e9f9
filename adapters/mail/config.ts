import { z } from 'zod';
import { publicBaseUrl } from '../../domain/schemas/public-base-url.ts';

/** How emails are sent. */
export const mailConfig = z.object({
  /** `smtp://user:password@host:587`, or `smtps://` for TLS from the start. */
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// URL' }).optional(),
  MAIL_FROM: z.string().min(1).default('Darkroom <no-reply@localhost>'),
  /** Without SMTP: a folder for emails as .eml files. */
  MAIL_FOLDER: z.string().optional(),
  /** Links in emails begin with it. */
  PUBLIC_BASE_URL: publicBaseUrl.default(() => new URL('http://localhost:8080')),
});
export type MailConfig = z.output<typeof mailConfig>;
