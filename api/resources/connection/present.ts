import type { Connection } from '../../../db/entities/connections/connection.ts';

/** A connection. Its refresh token is never returned. */
export function presentConnection(connection: Connection) {
  const { id, provider, name, error, createdAt, lastUsedAt } = connection;
  return {
    id,
    provider,
    name,
    status: error ? ('revoked' as const) : ('active' as const),
    error: error ?? null,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
  };
}
