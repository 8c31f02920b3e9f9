import { join } from 'node:path';
import { readJson } from '../../dev/processes/json-file.ts';
import type { RunInfo } from '../../dev/launcher/home.ts';
import { UsageError } from '../shared/usage-error.ts';

/** The URL of an API and a key for it. */
export interface ApiTarget {
  url: string;
  key: string;
}

/**
 * The API and the key to use: from the options, else the environment, else the stack on this machine. The key of
 * that stack is never sent to another server.
 *
 * @throws UsageError if there is none
 */
export function findApi(options: { api?: string; key?: string }, env: NodeJS.ProcessEnv): ApiTarget {
  const run = readJson(join(env['DARKROOM_HOME'] || '.darkroom', 'run.json')) as RunInfo | undefined;
  const given = options.api ?? (env['DARKROOM_API'] || undefined);
  if (given === undefined && !run) {
    throw new UsageError('No API found: start one with npm start, or set --api and --key.');
  }
  const url = withPath(given ?? run?.api_url ?? '');
  const isLocal = run !== undefined && new URL(run.api_url).origin === new URL(url).origin;
  const key = options.key ?? (env['DARKROOM_KEY'] || (isLocal ? run.api_key : undefined));
  if (key === undefined) throw new UsageError(`No API key for ${url}: set --key or DARKROOM_KEY.`);
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new UsageError('The API key contains invalid characters: check --key or DARKROOM_KEY.');
  return { url, key };
}

function withPath(given: string): string {
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol)) {
    throw new UsageError(`"${given}" is not an API URL; use one like https://darkroom.example.com/api/v2.`);
  }
  const { origin, pathname } = new URL(given);
  const path = pathname.replace(/\/+$/, '');
  return `${origin}${path === '' ? '/api/v2' : path}`;
}
