import { z } from 'zod';
import { guardedNetworks } from '../outbound/config.ts';

/** Fetching of pages and images by URL. */
export const webFetchConfig = z.object({
  // Not OUTBOUND_ALLOWED_NETWORKS: access to a bucket in a private network must not open its web servers.
  WEB_FETCH_ALLOWED_NETWORKS: guardedNetworks({ plainPublic: true }).describe(
    'addresses and CIDR blocks, separated by commas, to which URLs of links and images and their redirects may lead besides public addresses',
  ),
  WEB_FETCH_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(90)
    .default(60)
    .describe('time limit of such a URL, redirects and the last byte included'),
});
export type WebFetchConfig = z.output<typeof webFetchConfig>;
