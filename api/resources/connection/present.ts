import type { z } from 'zod';
import type { Connection } from '../../../db/entities/connections/connection.ts';
import type { connection } from './schema.ts';

/** A connection. Its refresh token is never returned. */
export function presentConnection(row: Connection): z.input<typeof connection> {
  const { id, provider, name, error, createdAt, lastUsedAt } = row;
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
