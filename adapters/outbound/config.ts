import { z } from 'zod';
import { createAddressGuard } from './address-guard.ts';

/** Connections that clients make us open, such as to a bucket of their own. */
export const outboundConfig = z.object({
  OUTBOUND_ALLOWED_NETWORKS: guardedNetworks({ plainPublic: false }).describe(
    'addresses and CIDR blocks, separated by commas, in which buckets of tenants may be, also without TLS, besides public addresses over https',
  ),
});

/** A setting: addresses and CIDR blocks between commas, as the guard that lets them through; by default none. */
export function guardedNetworks(options: Parameters<typeof createAddressGuard>[1]) {
  return z
    .string()
    .default('')
    .transform((text, context) => {
      try {
        return createAddressGuard(
          text.split(',').flatMap((one) => one.trim() || []),
          options,
        );
      } catch (error) {
        context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
        return z.NEVER;
      }
    });
}
