import { z } from 'zod';
import { guardedNetworks } from '../outbound/config.ts';

/** Images that clients name by their URL. */
export const webFetchConfig = z.object({
  /**
   * Addresses and CIDR blocks besides public ones that these URLs, and redirects from them, may lead to, between commas.
   * Apart from OUTBOUND_ALLOWED_NETWORKS: whoever may name a bucket in a private network may not read its web servers.
   */
  WEB_FETCH_ALLOWED_NETWORKS: guardedNetworks({ plainPublic: true }),
  /** Time limit of one URL, redirects and the last byte included. */
  WEB_FETCH_SECONDS: z.coerce.number().int().min(1).max(90).default(60),
});
export type WebFetchConfig = z.output<typeof webFetchConfig>;
