import { z } from 'zod';
import { createAddressGuard } from './address-guard.ts';

/** Outgoing connections on behalf of clients, such as to their own buckets. */
export const outboundConfig = z.object({
  OUTBOUND_ALLOWED_NETWORKS: guardedNetworks({ plainPublic: false }).describe(
    'addresses and CIDR blocks, separated by commas, that are allowed for webhooks and buckets of tenants, also without TLS, in addition to public addresses over https',
  ),
});

/** A setting of comma-separated addresses and CIDR blocks, as a guard that allows them; none by default. */
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
