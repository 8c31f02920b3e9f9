import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Darkroom } from '../../sdk/src/index.ts';
import type { Stack } from '../../dev/launcher/stack.ts';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import { createSourceBucket, textFiles } from '../shared/source-bucket.ts';
import { stopWorkers, WORKERS } from './bench-stack.ts';
import type { BenchContext } from './context.ts';
import { goalResult, milliseconds } from './statistics.ts';

const FILES = 300;
const ROUNDS = 2;
const POLL_MS = 250;

/**
 * I2: small text files from a bucket in the store of the stack by an import, compared with as many by `npm run ingest` from a
 * folder, each until all are processed.
 */
export async function run({ stack: startStack, env, progress }: BenchContext): Promise<string[]> {
  const stack = await startStack();
  for (const name of WORKERS) await stack.start(name);
  try {
    const rates: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const files = round === 0 ? FILES / 10 : FILES;
      progress(`round ${round} of ${ROUNDS}: ingest`);
      const ingested = await milliseconds(() => ingest(stack, env, textFiles(files, `upload ${round}`)));
      progress(`round ${round} of ${ROUNDS}: import`);
      const source = await createSourceBucket(stack, `source-${round}`, textFiles(files, `import ${round}`));
      const imported = await milliseconds(() => importAll(stack, source, files));
      // The first round is a warm-up.
      if (round > 0) rates.push(ingested / imported);
      progress(`${Math.round(ingested)} ms by ingest, ${Math.round(imported)} ms by an import`);
    }
    const shown = rates.map((rate) => rate.toFixed(2)).join(', ');
    return [
      `I2 speed of an import of ${FILES} text files as a share of that of ingest: ${shown}, ${goalResult(rates, { least: 0.9 })}`,
    ];
  } finally {
    await stopWorkers(stack);
  }
}

async function ingest(
  stack: Stack,
  env: NodeJS.ProcessEnv,
  files: ReadonlyMap<string, string>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-ingest-'));
  try {
    for (const [name, text] of files) await writeFile(join(folder, name), text);
    const { api_url: api, api_key: key } = stack.runInfo;
    const args = [
      'cli/ingest/main.ts',
      folder,
      '--api',
      api,
      '--key',
      key,
      '--no-describe',
      '--concurrency',
      '16',
    ];
    const child = spawn(process.execPath, [...args, '--state', `${folder}.state`], {
      cwd: PROJECT_ROOT,
      env,
      stdio: 'ignore',
    });
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`ingest ended with ${code}`);
  } finally {
    await rm(folder, { recursive: true });
    await rm(`${folder}.state`, { force: true });
  }
}

async function importAll(
  stack: Stack,
  source: { type: 'bucket'; connection_id: string },
  files: number,
): Promise<void> {
  const { api_key: apiKey, api_url: baseUrl } = stack.runInfo;
  const { api } = new Darkroom({ apiKey, baseUrl });
  const body = { source, auto_describe: false, concurrency: 16 };
  const { data } = await api.POST('/imports', { body });
  for (;;) {
    await delay(POLL_MS);
    const { data: record } = await api.GET('/imports/{import_id}', {
      params: { path: { import_id: data.id } },
    });
    if (record.status === 'failed' || record.failed > 0) throw new Error(JSON.stringify(record));
    if (record.status !== 'completed') continue;
    if (record.imported !== files) throw new Error(JSON.stringify(record));
    const open = { status: ['pending', 'processing'] as ('pending' | 'processing')[], limit: 1 };
    const { data: list } = await api.GET('/files', { params: { query: open } });
    if (list.total_count === 0) return;
  }
}
