import { AppError } from '../../domain/app-error.ts';

/** What every request gets whose key or session is valid, in a tenant that an operator has disabled. */
export function tenantDisabled(): AppError {
  return new AppError(
    'TENANT_DISABLED',
    'this account is disabled; nothing in it is lost: ask the operator of this service to enable it',
  );
}
