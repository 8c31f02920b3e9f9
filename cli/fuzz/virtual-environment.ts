import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPython } from '../shared/virtual-environment.ts';

const PROGRAM = 'bin/schemathesis';

/**
 * Schemathesis in a virtual environment of its own.
 *
 * @returns the path of its program
 * @throws CannotBegin when Python or PyPI is not available
 */
export async function installSchemathesis(signal: AbortSignal): Promise<string> {
  const requirements = fileURLToPath(new URL('requirements.txt', import.meta.url));
  const folder = await installPython(
    { name: 'schemathesis', requirements, proof: [PROGRAM, '--version'] },
    signal,
  );
  return join(folder, PROGRAM);
}
