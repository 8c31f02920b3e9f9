import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readFlags } from '../../cli/shared/flags.ts';
import { runCommand } from '../../cli/shared/run-command.ts';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import { buildPython, packTypeScript, releaseVersion } from './build.ts';

const HELP = `Usage: npm run build:clients

Builds the clients for TypeScript and Python into dist/clients, as files to publish: a tarball for npm, a source
distribution and a wheel for PyPI. Needs Python 3.11 and, the first time, PyPI.

Exit code: 0 built, 2 the versions in package.json, sdk, api/openapi.json and CHANGELOG.md differ, or it could not build.`;

await runCommand(HELP, async () => {
  if (!readFlags(process.argv.slice(2), {})) return undefined;
  releaseVersion();
  const folder = join(PROJECT_ROOT, 'dist', 'clients');
  rmSync(folder, { recursive: true, force: true });
  for (const path of [await packTypeScript(folder), ...(await buildPython(folder))]) console.log(path);
  return 0;
});
