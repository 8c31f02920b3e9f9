import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { PROJECT_ROOT } from '../../dev/project-root.ts';

/** Runs the audit command on a stack. Returns its exit code and output. */
export async function runAudit(
  env: NodeJS.ProcessEnv,
  acknowledgedFile: string,
  signal: AbortSignal,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(
    process.execPath,
    [join(PROJECT_ROOT, 'cli', 'audit', 'main.ts'), '--acknowledged', acknowledgedFile],
    { env, stdio: ['ignore', 'pipe', 'pipe'], signal },
  );
  const ended = once(child, 'close');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await ended) as [number | null];
  return { code, output: `${stdout}${stderr}`.trimEnd() };
}
