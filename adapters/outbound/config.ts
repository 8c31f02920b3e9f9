import { z } from 'zod';
import { createAddressGuard } from './address-guard.ts';

/** Connections that clients make us open, such as to a bucket of their own. */
export const outboundConfig = z.object({
  /** Addresses and CIDR blocks besides public ones that they may lead to, between commas, also without TLS. */
  OUTBOUND_ALLOWED_NETWORKS: guardedNetworks({ plainPublic: false }),
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
