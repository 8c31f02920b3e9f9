import { isIP } from 'node:net';
import type { AddressGuard } from '../../adapters/outbound/address-guard.ts';
import { invalidField } from '../../domain/app-error.ts';

/**
 * Rejects a URL that webhooks can never be sent to: an address that the guard refuses, a name of this machine, or a host
 * name over http if TLS is required. The addresses of a host name are checked by each delivery.
 *
 * @param pointer JSON pointer of the URL in the request
 * @throws AppError VALIDATION_FAILED
 */
export function checkWebhookUrl(guard: AddressGuard, text: string, pointer: string): void {
  const url = new URL(text);
  const refused = guard.refuseHost(url);
  if (refused) throw invalidField(pointer, refused.message);
  const isAddress = isIP(url.hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;
  if (!isAddress && url.protocol !== 'https:' && !guard.allowsPlain) {
    throw invalidField(pointer, 'must be an https:// URL: public addresses are not reached without TLS');
  }
}
