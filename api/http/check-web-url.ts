import { invalidField } from '../../domain/app-error.ts';
import type { ApiDeps } from '../deps.ts';

/**
 * Refuses a URL that cannot be fetched whatever is there: its host is an address that is not public, in any spelling, or a
 * name of this machine. What other names resolve to is checked by each fetch.
 *
 * @param pointer JSON pointer of the URL in the request
 * @throws AppError VALIDATION_FAILED
 */
export function checkWebUrl(
  { webGuard }: Pick<ApiDeps, 'webGuard'>,
  url: string | undefined,
  pointer: string,
): void {
  const refused = url === undefined ? undefined : webGuard.refuseHost(new URL(url));
  if (refused) throw invalidField(pointer, refused.message);
}
