import type { EntityManager } from '@mikro-orm/postgresql';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { createEngine, type Engine } from '../../temporal/client.ts';
import { temporalConfig } from '../../temporal/config.ts';

/** One command of `npm run admin`. */
export interface Command {
  /** Operands and flags, as the help shows them. */
  usage: string;
  does: string;
  /** Number of operands, all required. */
  operands: number;
  /** @returns the exit code; undefined if flags are missing, so that the caller prints the help */
  run(operands: string[], flags: Flags, env: NodeJS.ProcessEnv): Promise<number | undefined>;
}

/** Flags of all commands. */
export const FLAGS = {
  credentials: { type: 'string' },
  migrate: { type: 'boolean' },
  'unlimited-requests': { type: 'boolean' },
  'older-than': { type: 'string' },
  owner: { type: 'string' },
  name: { type: 'string' },
  scopes: { type: 'string' },
  tenant: { type: 'string' },
  tier: { type: 'string' },
  'requests-per-minute': { type: 'string' },
  'monthly-credits': { type: 'string' },
  after: { type: 'string' },
  follow: { type: 'boolean' },
  json: { type: 'boolean' },
  wait: { type: 'boolean' },
} as const;
type Flags = {
  [F in keyof typeof FLAGS]?: ((typeof FLAGS)[F]['type'] extends 'boolean' ? boolean : string) | undefined;
};

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
