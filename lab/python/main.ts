import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { UsageError } from '../../cli/shared/usage-error.ts';
import { readFlags } from '../../cli/shared/flags.ts';
import { runCommand } from '../../cli/shared/run-command.ts';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import { buildPython, pythonTools } from '../clients/build.ts';
import { onDisposableStack } from '../shared/on-disposable-stack.ts';

const HELP = `Usage: npm run test:python

Builds the client for Python as npm run build:clients does, installs the wheel into an empty virtual environment, and
checks its types and those of the programs in its README and in the guide. Then runs these programs and its tests on a disposable
stack. Needs Python 3.11 and PyPI.

Exit code: 0 all steps succeeded, 1 a step failed, 2 the run could not be completed.`;

const TESTS = join(PROJECT_ROOT, 'sdk', 'python', 'tests');
/** Pages whose Python programs are run. */
const PAGES = ['sdk/python/README.md', 'docs/guide/python.md'];
const OUTPUT_BYTES = 16 * 1024 * 1024;

await runCommand(HELP, async () => {
  if (!readFlags(process.argv.slice(2), {})) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'darkroom-python-'));
  // Where programs run, with the samples that they use.
  const place = join(folder, 'programs');
  mkdirSync(place);
  symlinkSync(join(PROJECT_ROOT, 'dev'), join(place, 'dev'));
  return onDisposableStack(process.env, {}, async (stack, signal) => {
    const { api_url: api, api_key: key } = stack.runInfo;
    const run = async (program: string, args: string[]): Promise<string> => {
      const env = { ...process.env, API: api, KEY: key };
      const options = { cwd: place, env, signal, maxBuffer: OUTPUT_BYTES };
      const { stdout, stderr } = await promisify(execFile)(program, args, options);
      return `${stdout}${stderr}`;
    };
    const failures: string[] = [];
    const attempt = async (what: string, program: string, args: string[]) => {
      const output = await run(program, args).catch((error: unknown) => {
        failures.push(what);
        const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
        return `${stdout}${stderr}`;
      });
      console.log(`${what} ${failures.includes(what) ? 'failed' : 'passed'}\n${output.trim()}`);
    };

    const tools = await pythonTools(signal);
    const [source, wheel] = await buildPython(folder, signal);
    const environment = join(folder, 'venv');
    const python = join(environment, 'bin', 'python');
    const pip = ['-m', 'pip', '--quiet', '--disable-pip-version-check'];
    const again = join(folder, 'again');
    try {
      await run('python3', ['-m', 'venv', environment]);
      const warnings = await run(python, [...pip, 'install', wheel]);
      if (warnings !== '') failures.push(`an installation without warnings: ${warnings}`);
      await run(tools, [...pip, 'wheel', '--no-deps', '--no-build-isolation', '-w', again, source]);
    } catch (error) {
      throw new UsageError(`Cannot install the packages: ${String(error)}`);
    }
    if (hashOf(wheel) !== hashOf(join(again, basename(wheel)))) failures.push('the wheel of the source');

    const programs = PAGES.flatMap(programsOf).map(([name, text]) => {
      const path = join(place, name);
      writeFileSync(path, text);
      return path;
    });
    const cache = join(folder, 'mypy');
    const strictly = ['-m', 'mypy', '--strict', '--python-executable', python, '--cache-dir', cache];
    await attempt('types', tools, [...strictly, '-p', 'darkroom']);
    await attempt('types of programs', tools, [...strictly, '--scripts-are-modules', ...programs]);
    const misspelt = "from darkroom import Darkroom\nDarkroom('', '').wait('')['titel']\n";
    await run(tools, [...strictly, '-c', misspelt]).then(
      () => failures.push('the type of a misspelt field'),
      (error: unknown) => assert.match((error as { stdout: string }).stdout, /titel/),
    );
    await attempt('sdk/python/tests', python, ['-W', 'error', '-m', 'unittest', 'discover', '-s', TESTS]);
    for (const path of programs) await attempt(basename(path), python, ['-W', 'error', path]);
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

function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
