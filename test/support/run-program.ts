import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../dev/project-root.ts';

/**
 * Runs a program of the project to its end.
 *
 * @param path     below the project's folder
 * @param settings added to the environment
 * @param folder   that of the project, or of another version of it
 */
export async function runProject(
  path: string,
  args: string[],
  settings: Record<string, string | undefined>,
  folder = PROJECT_ROOT,
): Promise<{ code: number; output: string }> {
  const main = join(folder, path);
  return new Promise((resolve) => {
    const env = { ...process.env, ...settings };
    execFile(process.execPath, [main, ...args], { env }, (error, output, errors) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: output || errors }),
    );
  });
}
