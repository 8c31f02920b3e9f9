import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PROJECT_ROOT } from '../../dev/project-root.ts';

/**
 * Runs the audit command on a stack.
 *
 * @param onLine receives each line of its output when it is written
 * @returns its exit code
 */
export async function runAudit(
  env: NodeJS.ProcessEnv,
  acknowledgedFile: string,
  { onLine, signal }: { onLine: (line: string) => void; signal: AbortSignal },
): Promise<number | null> {
  const child = spawn(
    process.execPath,
    [join(PROJECT_ROOT, 'cli', 'audit', 'main.ts'), '--acknowledged', acknowledgedFile],
    { env, stdio: ['ignore', 'pipe', 'pipe'], signal },
  );
  const ended = once(child, 'close');
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', onLine);
  const [code] = (await ended) as [number | null];
  return code;
}
