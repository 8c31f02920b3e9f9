import type { EntityManager } from '@mikro-orm/postgresql';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { createEngine, type Engine } from '../../temporal/client.ts';
import { temporalConfig } from '../../temporal/config.ts';

/** Runs a command on the database of the settings, then disconnects. */
export async function withDatabase<R>(
  env: NodeJS.ProcessEnv,
  use: (em: EntityManager) => Promise<R>,
): Promise<R> {
  const orm = createOrm(readConfig([databaseConfig], env));
  try {
    return await use(orm.em.fork());
  } finally {
    await orm.close(true);
  }
}

/** Runs a command on the workflow engine of the settings, then disconnects. */
export async function withEngine<R>(env: NodeJS.ProcessEnv, use: (engine: Engine) => Promise<R>): Promise<R> {
  const engine = createEngine(readConfig([temporalConfig], env));
  try {
    return await use(engine);
  } finally {
    await engine.close();
  }
}
