import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Runs a program of the project to its end.
 *
 * @param path     below the project's folder
 * @param settings added to the environment
 */
export async function runProject(
  path: string,
  args: string[],
  settings: Record<string, string | undefined>,
): Promise<{ code: number; output: string }> {
  const main = fileURLToPath(new URL(`../../${path}`, import.meta.url));
  return new Promise((resolve) => {
    const env = { ...process.env, ...settings };
    execFile(process.execPath, [main, ...args], { env }, (error, output, errors) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: output || errors }),
    );
  });
}
