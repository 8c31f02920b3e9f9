import { join } from 'node:path';
import { readJson } from '../../dev/processes/json-file.ts';

/**
 * Settings for connecting to the servers: the environment if it names a database, otherwise those of the stack on this
 * machine.
 *
 * @returns undefined if there is neither
 */
export function stackEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv | undefined {
  if (env['DATABASE_URL']) return env;
  const stack = readJson(join(env['DARKROOM_HOME'] ?? '.darkroom', 'env.json'));
  return stack === undefined ? undefined : { ...env, ...(stack as Record<string, string>) };
}
