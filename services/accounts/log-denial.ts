import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccessRefusal, Action } from '../../domain/accounts/access.ts';
import { MAX_DENIALS_LOGGED_A_MINUTE } from '../../domain/limits.ts';
import { recordAuditEvent } from '../audit-log/record-audit-event.ts';
import type { Principal } from './principal.ts';
import { consumeRateLimits } from './consume.ts';

const MINUTE_SECONDS = 60;

export interface Denial {
  principal: Principal;
  action: Action;
  refusal: AccessRefusal;
  operationId: string;
  ipAddress: string;
}

/**
 * Records a denied action in the audit log. At most ten per minute, so that a retrying client cannot fill the log.
 */
export async function logDenial(
  em: EntityManager,
  { principal: { tenantId, credential }, action, refusal, operationId, ipAddress }: Denial,
): Promise<void> {
  const [logged] = await consumeRateLimits(em, [
    { key: `denials/${tenantId}`, requests: MAX_DENIALS_LOGGED_A_MINUTE, seconds: MINUTE_SECONDS },
  ]);
  if (logged?.exceeded) return;
  await recordAuditEvent(em, {
    tenantId,
    type: 'access.denied',
    result: 'failure',
    credential,
    ipAddress,
    errorMessage: refusal.message,
    metadata: { operation: operationId, action, code: refusal.code },
  });
}
