import { z } from 'zod';

/** The origin at which browsers reach the service, without a path. */
export const publicBaseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' })
  .refine((url) => new URL(url).pathname === '/', 'must have no path')
  .transform((url) => new URL(url));
