import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Darkroom } from '../../sdk/src/index.ts';
import type { Client } from '../support/api.ts';
import { runProject } from '../support/run-program.ts';
import type { Met } from '../support/steady-uploads.ts';

/**
 * Fails unless every acknowledged upload is stored once and processed, and all invariants of the audit hold.
 *
 * @param env with which commands reach the servers
 * @param folder for the list of acknowledged files
 */
export async function checkUploads(
  { acknowledged, refused, silentSeconds }: Met,
  api: { darkroom: Darkroom; client: Client },
  { env, folder, withinS }: { env: Record<string, string>; folder: string; withinS: number },
): Promise<void> {
  const names: string[] = [];
  for await (const { id, filename } of api.darkroom.list('/files')) {
    await api.client.settled(id, withinS);
    if (acknowledged.has(filename)) names.push(filename);
  }
  const lost = [...acknowledged.keys()].filter((name) => !names.includes(name));
  const doubled = names.filter((name, at) => names.indexOf(name) !== at);
  console.log(
    `  … ${acknowledged.size} files acknowledged, ${lost.length} lost, ${doubled.length} doubled, ` +
      `${refused} requests refused, ${silentSeconds.toFixed(1)} s without an acknowledgement`,
  );
  assert.deepEqual({ lost, doubled }, { lost: [], doubled: [] });
  const list = join(folder, 'acknowledged.jsonl');
  writeFileSync(list, [...acknowledged.values()].map((file) => `${JSON.stringify(file)}\n`).join(''));
  const audit = await runProject('cli/audit/main.ts', ['--acknowledged', list], env);
  assert.match(audit.output, /^All invariants hold\.$/m);
}
