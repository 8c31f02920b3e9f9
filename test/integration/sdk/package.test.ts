import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { packTypeScript } from '../../../lab/clients/build.ts';
import { PROJECT_ROOT } from '../../../dev/project-root.ts';
import { sharedRun } from '../../support/api.ts';
import { readFences } from '../../support/pages.ts';

/** The published client: packed, installed into an empty project, compiled against, and run as its documentation shows. */
const run = sharedRun();
const project = mkdtempSync(join(tmpdir(), 'darkroom-package-'));
after(() => rmSync(project, { recursive: true, force: true }));
const PAGES = ['sdk/README.md', 'docs/guide/typescript.md'];
const WITHIN_MS = 240_000;

const programs = new Map(
  PAGES.flatMap((page) =>
    readFences(readFileSync(join(PROJECT_ROOT, page), 'utf8')).fences.flatMap(({ lines }) => {
      const [, name] = /^\/\/ ([\w-]+\.ts)$/.exec(lines[0] ?? '') ?? [];
      return name === undefined ? [] : [[name, `${lines.join('\n')}\n`] as const];
    }),
  ),
);

/** Runs a command to its end, and throws what it printed if it fails. */
async function execute(command: string, args: string[], cwd: string): Promise<string> {
  const env = { ...process.env, API: run.api_url, KEY: run.api_key };
  const options = { cwd, env, timeout: WITHIN_MS, maxBuffer: 16 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)(command, args, options).catch((error: Error) => {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(' ')}: ${stdout}\n${stderr}`, { cause: error });
  });
  return stdout;
}

function compile(files: string[], compilerOptions: object): Promise<string> {
  const options = {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
  };
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...options, ...compilerOptions }, files }),
  );
  return execute(join(PROJECT_ROOT, 'node_modules/.bin/tsc'), ['-p', project], project);
}

before(async () => {
  const tarball = await packTypeScript(project);
  const { dependencies } = JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }');
  const quiet = ['--silent', '--no-audit', '--no-fund', '--prefer-offline'];
  await execute('npm', ['install', ...quiet, tarball, `zod@${dependencies['zod']}`], project);
  for (const [name, text] of programs) writeFileSync(join(project, name), text);
  symlinkSync(join(PROJECT_ROOT, 'dev'), join(project, 'dev'));
});

test('it has one dependency', () => {
  const { packages } = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dependencies?: Record<string, string> }>;
  };
  assert.deepEqual(packages['node_modules/darkroom-client']?.dependencies, { 'openapi-fetch': '0.17.0' });
  assert.deepEqual(
    Object.keys(packages)
      .filter((name) => name !== '')
      .toSorted(),
    [
      'node_modules/darkroom-client',
      'node_modules/openapi-fetch',
      'node_modules/openapi-typescript-helpers',
      'node_modules/zod',
    ],
  );
});

test('its programs compile with the strictest options and the types of Node', async () => {
  assert.ok(programs.size > 7, [...programs.keys()].join());
  const typeRoots = [join(PROJECT_ROOT, 'node_modules/@types')];
  await compile([...programs.keys()], { lib: ['es2023'], typeRoots, types: ['node'] });
});

test('a program for browsers compiles with the DOM types, and a misspelt field does not', async () => {
  const lines = (field: string) => `import { Darkroom } from 'darkroom-client';
const darkroom = new Darkroom({ baseUrl: '/api/v2' });
export const send = (file: File) => darkroom.upload(file, { ${field}: 'A title' });
export const named = async (id: string) => (await darkroom.wait(id)).primary_status satisfies string;\n`;
  writeFileSync(join(project, 'page.ts'), lines('title'));
  await compile(['page.ts'], { lib: ['es2023', 'dom', 'dom.iterable'], types: [] });
  writeFileSync(join(project, 'page.ts'), lines('titel'));
  await assert.rejects(compile(['page.ts'], { lib: ['es2023', 'dom', 'dom.iterable'], types: [] }), /titel/);
});

const RUNTIMES: [name: string, args: string[]][] = [
  ['node', []],
  ['bun', []],
  ['deno', ['run', '--allow-all', '--node-modules-dir=manual']],
];
for (const [runtime, args] of RUNTIMES) {
  const absent = spawnSync(runtime, ['--version']).status !== 0 && `${runtime} is not on PATH`;
  test(`its programs run with ${runtime}`, { skip: absent }, async () => {
    for (const name of programs.keys()) {
      const printed = await execute(runtime, [...args, name], project);
      if (name === 'first.ts') assert.match(printed, /^receipt\.txt completed 13\.5 /);
      if (name === 'extract.ts') assert.match(printed, /^13\.5 \{/);
      if (name === 'operations.ts') assert.match(printed, /^NOT_FOUND 404 [0-9a-f-]{36}$/m);
    }
  });
}
