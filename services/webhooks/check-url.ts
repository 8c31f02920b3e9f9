import { isIP } from 'node:net';
import type { AddressGuard } from '../../adapters/outbound/address-guard.ts';
import { invalidField } from '../../domain/app-error.ts';

/**
 * Refuses a URL whose address is one that webhooks are never sent to. What a name resolves to is checked by each
 * delivery.
 *
 * @param pointer where the request has it
 * @throws AppError VALIDATION_FAILED
 */
export function checkWebhookUrl(guard: AddressGuard, text: string, pointer: string): void {
  const { hostname, protocol } = new URL(text);
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  const refused = isIP(address) === 0 ? undefined : guard.refuse(address, protocol === 'https:');
  if (refused) throw invalidField(pointer, refused.message);
}
