import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import type { Acknowledged } from './verdict.ts';

/**
 * Runs the audit command on a stack.
 *
 * @param folder of a list of the acknowledged files
 * @param onLine receives each line of its output when it is written
 * @returns its exit code
 */
export async function runAudit(
  env: NodeJS.ProcessEnv,
  {
    acknowledged,
    folder,
    onLine,
    signal,
  }: {
    acknowledged: readonly Acknowledged[];
    folder: string;
    onLine: (line: string) => void;
    signal: AbortSignal;
  },
): Promise<number | null> {
  const list = join(folder, 'acknowledged.jsonl');
  const lines = acknowledged.map(({ fileId, sha256, name }) =>
    JSON.stringify({ file_id: fileId, sha256, name }),
  );
  await writeFile(list, lines.join('\n'));
  const child = spawn(
    process.execPath,
    [join(PROJECT_ROOT, 'cli', 'audit', 'main.ts'), '--acknowledged', list],
    { env, stdio: ['ignore', 'pipe', 'pipe'], signal },
  );
  const ended = once(child, 'close');
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', onLine);
  const [code] = (await ended) as [number | null];
  return code;
}
