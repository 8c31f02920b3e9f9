import type { EntityManager } from '@mikro-orm/postgresql';

/** How many webhook subscriptions of all tenants are enabled, failing, or disabled by the service. */
export async function countSubscriptions(
  em: EntityManager,
): Promise<Record<'enabled' | 'failing' | 'disabled', number>> {
  const [counts] = await em.execute<Record<'enabled' | 'failing' | 'disabled', number>[]>(
    `select count(*) filter (where enabled and failing_since is null)::int as enabled,
       count(*) filter (where enabled and failing_since is not null)::int as failing,
       count(*) filter (where not enabled and disabled_reason is not null)::int as disabled
     from webhook_subscriptions where subject_id is null and deleted_at is null`,
  );
  return counts ?? { enabled: 0, failing: 0, disabled: 0 };
}
