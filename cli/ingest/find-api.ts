import { join } from 'node:path';
import { readJson } from '../../dev/processes/json-file.ts';
import type { RunInfo } from '../../dev/launcher/run-info.ts';
import { CannotBegin } from './cannot-begin.ts';

export interface ApiTarget {
  /** With its path, without a slash at the end. */
  url: string;
  key: string;
}

/**
 * Which API to talk to, and by which key: as told, else by the environment, else the stack on this machine. The key of
 * that stack is never sent to another server.
 *
 * @throws CannotBegin when there is none
 */
export function findApi(told: { api?: string; key?: string }, env: NodeJS.ProcessEnv): ApiTarget {
  const run = readJson(join(env['DARKROOM_HOME'] || '.darkroom', 'run.json')) as RunInfo | undefined;
  const given = told.api ?? (env['DARKROOM_API'] || undefined);
  if (given === undefined && !run) {
    throw new CannotBegin('No API: start one with npm start, or name it by --api and --key.');
  }
  const url = withPath(given ?? run?.api_url ?? '');
  const isLocal = run !== undefined && new URL(run.api_url).origin === new URL(url).origin;
  const key = told.key ?? (env['DARKROOM_KEY'] || (isLocal ? run.api_key : undefined));
  if (key === undefined) throw new CannotBegin(`No key for ${url}: give one by --key or DARKROOM_KEY.`);
  if (!/^[\x21-\x7e]+$/.test(key)) throw new CannotBegin('The key has characters that no key has.');
  return { url, key };
}

function withPath(given: string): string {
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol)) {
    throw new CannotBegin(
      `"${given}" is no URL of an API; one looks like https://darkroom.example.com/api/v2.`,
    );
  }
  const { origin, pathname } = new URL(given);
  const path = pathname.replace(/\/+$/, '');
  return `${origin}${path === '' ? '/api/v2' : path}`;
}
