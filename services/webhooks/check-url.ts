import { isIP } from 'node:net';
import type { AddressGuard } from '../../adapters/outbound/address-guard.ts';
import { invalidField } from '../../domain/app-error.ts';

/**
 * Rejects a URL that webhooks can never be sent to: an IP address that the guard refuses, or a host name over
 * http if TLS is required. The addresses of a host name are checked by each delivery.
 *
 * @param pointer JSON pointer of the URL in the request
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
