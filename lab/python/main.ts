import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { UsageError } from '../../cli/shared/usage-error.ts';
import { readFlags } from '../../cli/shared/flags.ts';
import { runCommand } from '../../cli/shared/run-command.ts';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import { installPython } from '../shared/virtual-environment.ts';
import { onDisposableStack } from '../shared/on-disposable-stack.ts';

const HELP = `Usage: npm run test:python

Generates a Python client from the OpenAPI document of a disposable stack, installs it and sdk/python into a virtual
environment, and imports every generated module. Then runs the tests of sdk/python and the programs in its README and in
the guide on the stack. Needs Python 3.11 and PyPI.

Exit code: 0 all steps succeeded, 1 a step failed, 2 the run could not be completed.`;

const SDK = join(PROJECT_ROOT, 'sdk', 'python');
/** Maximum number of model files in the generated client; each is a class that programs import. */
const MOST_MODELS = 450;
/** Pages whose Python programs are run. */
const PAGES = ['sdk/python/README.md', 'docs/guide/python.md'];
const OUTPUT_BYTES = 16 * 1024 * 1024;
const IMPORT_ALL = `
import importlib, pkgutil, darkroom_client
names = [one.name for one in pkgutil.walk_packages(darkroom_client.__path__, "darkroom_client.")]
for name in names: importlib.import_module(name)
print(len(names), "modules imported")
`;

await runCommand(HELP, async () => {
  if (!readFlags(process.argv.slice(2), {})) return undefined;
  const tools = await installPython({
    name: 'python-client-generator',
    requirements: join(SDK, 'generator.txt'),
    proof: ['bin/openapi-python-client', '--version'],
  });
  const folder = mkdtempSync(join(tmpdir(), 'darkroom-python-'));
  return onDisposableStack(process.env, {}, async (stack, signal) => {
    const { api_url: api, api_key: key } = stack.runInfo;
    const run = async (program: string, args: string[], path = process.env['PATH']): Promise<string> => {
      const env = { ...process.env, API: api, KEY: key, PATH: path };
      const options = { cwd: PROJECT_ROOT, env, signal, maxBuffer: OUTPUT_BYTES };
      const { stdout, stderr } = await promisify(execFile)(program, args, options);
      return `${stdout}${stderr}`;
    };

    const generated = join(folder, 'generated');
    await run(
      join(tools, 'bin/openapi-python-client'),
      [
        'generate',
        `--url=${api}/openapi.json?for=programs`,
        `--config=${join(SDK, 'generator.yaml')}`,
        `--output-path=${generated}`,
        '--meta=setup',
        '--fail-on-warning',
      ],
      // The generator formats its output with ruff.
      `${join(tools, 'bin')}:${process.env['PATH']}`,
    );
    const { models, files, lines } = countOf(join(generated, 'darkroom_client'));
    console.log(`generated: ${models} model files, ${files} files in total, ${lines} lines`);

    const environment = join(folder, 'venv');
    const python = join(environment, 'bin', 'python');
    // A copy, because pip builds packages beside their sources.
    cpSync(SDK, join(folder, 'sdk'), { recursive: true });
    try {
      await run('python3', ['-m', 'venv', environment]);
      await run(python, ['-m', 'pip', '--quiet', 'install', generated, join(folder, 'sdk')]);
    } catch (error) {
      throw new UsageError(`Cannot install the packages: ${String(error)}`);
    }
    console.log((await run(python, ['-c', IMPORT_ALL])).trim());

    const failures = models < MOST_MODELS ? [] : [`fewer than ${MOST_MODELS} model files`];
    const attempt = async (what: string, args: string[]) => {
      const output = await run(python, args).catch((error: unknown) => {
        failures.push(what);
        const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
        return `${stdout}${stderr}`;
      });
      console.log(`${what} ${failures.includes(what) ? 'failed' : 'passed'}\n${output.trim()}`);
    };
    await attempt('sdk/python/tests', ['-m', 'unittest', 'discover', '-s', join(SDK, 'tests')]);
    for (const [name, program] of PAGES.flatMap(programsOf)) {
      const path = join(folder, name);
      writeFileSync(path, program);
      await attempt(name, [path]);
    }
    for (const failure of failures) console.log(`failed: ${failure}`);
    return failures.length > 0 ? 1 : 0;
  }).finally(() => rmSync(folder, { recursive: true, force: true }));
});

/** The Python programs of a page, in order: code blocks whose first line is a comment with a file name. */
function programsOf(page: string): [name: string, text: string][] {
  const markdown = readFileSync(join(PROJECT_ROOT, page), 'utf8');
  return Array.from(
    markdown.matchAll(/^```python\n# ([\w-]+\.py)\n([\s\S]*?)^```$/gm),
    ([, name = '', text = '']) => [name, text],
  );
}

function countOf(folder: string): { models: number; files: number; lines: number } {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.py'),
  );
  const lines = files.reduce(
    (sum, path) => sum + readFileSync(join(folder, path), 'utf8').split('\n').length,
    0,
  );
  const models = files.filter((path) => path.startsWith('models')).length;
  return { models, files: files.length, lines };
}
