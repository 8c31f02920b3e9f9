import { z } from 'zod';
import { guardedNetworks } from '../outbound/config.ts';

/** Fetching of pages and images by URL. */
export const webFetchConfig = z.object({
  // Not OUTBOUND_ALLOWED_NETWORKS: access to a bucket in a private network must not open its web servers.
  WEB_FETCH_ALLOWED_NETWORKS: guardedNetworks({ plainPublic: true }).describe(
    'addresses and CIDR blocks, separated by commas, that are allowed for URLs of links and images and their redirects, in addition to public addresses',
  ),
  WEB_FETCH_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(90)
    .default(60)
    .describe('time limit of fetching such a URL, including redirects and the whole body'),
});
export type WebFetchConfig = z.output<typeof webFetchConfig>;
