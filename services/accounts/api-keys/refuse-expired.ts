import { invalidField } from '../../../domain/app-error.ts';

/** @throws AppError VALIDATION_FAILED when a key would be expired from the beginning */
export function refuseExpired(expiresAt: Date | null | undefined, now = new Date()): void {
  if (expiresAt && expiresAt <= now) throw invalidField('/body/expires_at', 'must be in the future');
}
