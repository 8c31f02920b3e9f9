import type { EntityManager } from '@mikro-orm/postgresql';
import { randomUUID } from 'node:crypto';
import { Membership } from '../../db/entities/accounts/membership.ts';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
import { User } from '../../db/entities/accounts/user.ts';
import type { Tier } from '../../domain/accounts/tiers.ts';
import { recordAuditEvent } from '../audit-log/record-audit-event.ts';
import { generatePassword, hashPassword } from './password.ts';
import { revokeUnverifiedAccess } from './users/verify-email.ts';

export interface CreatedTenant {
  tenantId: string;
  ownerId: string;
  /** Absent if the owner has an account with a verified address, and so keeps their password. */
  password?: string;
}

/**
 * Creates a tenant with its owner, and returns the owner's password. An account with an unverified address may have been
 * registered by another person: it gets the new password as well.
 */
export async function createTenant(
  em: EntityManager,
  { name, tier, ownerEmail: email }: { name: string; tier: Tier; ownerEmail: string },
): Promise<CreatedTenant> {
  const tenantId = randomUUID();
  const createdAt = new Date();
  const password = generatePassword();
  const passwordHash = await hashPassword(password);
  return em.transactional(async (tx) => {
    const known = await tx.findOne(User, { email });
    const ownerId = known?.id ?? randomUUID();
    await tx.insert(Tenant, { id: tenantId, name, tier, createdAt });
    const keepsPassword = known?.emailVerifiedAt != null;
    if (known && !keepsPassword) {
      await revokeUnverifiedAccess(tx, ownerId);
      await tx.nativeUpdate(User, { id: ownerId }, { passwordHash, emailVerifiedAt: createdAt });
    }
    if (!known) {
      // The address was typed by an operator, and only its owner gets the password.
      const user = { id: ownerId, email, name: email, passwordHash, emailVerifiedAt: createdAt, createdAt };
      await tx.insert(User, user);
    }
    await tx.insert(Membership, { tenantId, userId: ownerId, role: 'owner', joinedAt: createdAt });
    await recordAuditEvent(tx, {
      tenantId,
      type: 'tenant.created',
      resource: { type: 'tenant', id: tenantId },
      metadata: { by: 'operator', tier, owner_id: ownerId },
    });
    return { tenantId, ownerId, ...(!keepsPassword && { password }) };
  });
}
