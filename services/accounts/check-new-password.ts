import { isCommonPassword } from '../../adapters/common-passwords.ts';
import { refusePassword } from '../../domain/accounts/password-rules.ts';
import { invalidField } from '../../domain/app-error.ts';

/**
 * Refuses a password that must not be chosen.
 *
 * @param pointer where the request has it
 * @throws AppError VALIDATION_FAILED
 */
export function checkNewPassword(password: string, email: string, pointer = '/body/password'): void {
  const refusal = refusePassword(password, { email, isCommon: isCommonPassword });
  if (refusal) throw invalidField(pointer, refusal);
}
