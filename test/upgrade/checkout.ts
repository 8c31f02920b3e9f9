import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import { eventually, type RunInfo } from '../support/api.ts';

const run = promisify(execFile);
const STARTED_WITHIN_S = 300;

/** The full hash of a commit: a name of Git, by default the last tag, or without one the commit before. */
export async function resolveCommit(name: string | undefined): Promise<string> {
  const git = async (...args: string[]) => (await run('git', args, { cwd: PROJECT_ROOT })).stdout.trim();
  const former = name ?? (await git('describe', '--tags', '--abbrev=0', 'HEAD^').catch(() => 'HEAD^'));
  return git('rev-parse', '--verify', `${former}^{commit}`);
}

/** The code of a commit with its packages, in a folder of the cache that later runs use again. */
export async function checkOut(commit: string): Promise<string> {
  const folder = join(PROJECT_ROOT, '.cache', 'upgrade', commit);
  if (existsSync(folder)) return folder;
  const draft = `${folder}.draft`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  await run('sh', ['-c', 'git archive "$0" | tar -x -C "$1"', commit, draft], { cwd: PROJECT_ROOT });
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: draft, maxBuffer: 64 * 1024 * 1024 });
  await rename(draft, folder);
  return folder;
}

/** A stack that the launcher of some code runs, as `npm start` does. */
export interface Launched {
  run: RunInfo;
  /** Settings with which commands of that code reach the servers. */
  env: Record<string, string>;
  /** Stops it as Ctrl-C does, and keeps the data. */
  stop(): Promise<void>;
}

/** Starts the code of a folder on the data in `home`; `PORT` is in `env`. */
export async function launch(folder: string, home: string, env: NodeJS.ProcessEnv): Promise<Launched> {
  const ports = { POSTGRES_PORT: '0', TEMPORAL_PORT: '0', TEMPORAL_UI_PORT: '0', S3_PORT: '0' };
  const child = spawn(process.execPath, ['dev/main.ts'], {
    cwd: folder,
    env: { ...env, ...ports, DARKROOM_HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (output += text.toString()));
  const exited = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGINT');
    await exited;
  };
  const read = (name: string): unknown => JSON.parse(readFileSync(join(home, name), 'utf8'));
  const started = eventually(async () => {
    if (!output.includes('Darkroom is ready.')) throw new Error(`not ready: ${output}`);
  }, STARTED_WITHIN_S);
  await Promise.race([
    started,
    exited.then(() => Promise.reject(new Error(`The launcher ended: ${output}`))),
  ]).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    run: read('run.json') as RunInfo,
    env: read('env.json') as Record<string, string>,
    stop,
  };
}
