import type { EntityManager } from '@mikro-orm/postgresql';

/** Longer than any upload: its request has chosen the bucket before its first file claims a key there. */
const IN_FLIGHT_MINUTES = 120;

/** Whether anything names an object in the bucket of configuration `c`. */
const IN_USE = `(
  exists (select 1 from files where storage_config_id = c.id)
  or exists (select 1 from upload_intents where storage_config_id = c.id)
  or exists (select 1 from claimed_objects where storage_config_id = c.id))`;

export async function isInUse(em: EntityManager, storageConfigId: string): Promise<boolean> {
  const [row] = await em.execute<{ in_use: boolean }[]>(
    `select ${IN_USE} as in_use from storage_configs c where c.id = ?`,
    [storageConfigId],
  );
  return row?.in_use ?? false;
}

/**
 * Deletes retired configurations, with their credentials, in whose buckets nothing of ours is left.
 *
 * @returns how many
 */
export async function forgetRetiredStorage(em: EntityManager): Promise<number> {
  const gone = await em.execute<unknown[]>(
    `delete from storage_configs c
     where c.retired_at < now() - make_interval(mins => ?) and not ${IN_USE} returning 1`,
    [IN_FLIGHT_MINUTES],
  );
  return gone.length;
}
