import { isIP } from 'node:net';
import type { AddressGuard } from '../../adapters/outbound/address-guard.ts';
import { invalidField } from '../../domain/app-error.ts';

/**
 * Refuses a URL that webhooks are never sent to: an address that the guard refuses, and any name over http where nothing
 * may be reached without TLS. What a name resolves to is checked by each delivery.
 *
 * @param pointer where the request has it
 * @throws AppError VALIDATION_FAILED
 */
export function checkWebhookUrl(guard: AddressGuard, text: string, pointer: string): void {
  const { hostname, protocol } = new URL(text);
  const secure = protocol === 'https:';
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) !== 0) {
    const refused = guard.refuse(address, secure);
    if (refused) throw invalidField(pointer, refused.message);
  } else if (!secure && !guard.allowsPlain) {
    throw invalidField(pointer, 'must be an https:// URL: public addresses are not reached without TLS');
  }
}
