import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join, matchesGlob } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { startDisposableStack } from '../dev/launcher/disposable-stack.ts';
import { COMPILE_CACHE } from '../dev/project-root.ts';
import { startGoogleServer } from './support/google-server.ts';

/**
 * `npm test [FILE …]`: starts one disposable stack and runs test files or patterns of them on it, by default those of `pure`,
 * `acceptance` and `workflow`. Then it compares each workflow of the tests with the responses of the API, and each response
 * with the OpenAPI document. `npm run test:integration` and `test:console` run other files on such a stack; `test:alone` runs
 * those of charts, faults and commands without it. With `--times N`, each file runs N times while other work keeps
 * every core busy: `npm run test:flaky -- FILE`. The last line is `N passed, N failed`.
 */
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const GROUPS = join(ROOT, '.cache/test-groups');
/** For two cores: some files mostly wait for processes or workflows; more files would slow each other down. */
const CONCURRENCY = 3;
/** Files that start a stack each keep both cores busy by themselves. */
const STACKS = 2;
/** Most files of a process: it loads the modules once for all of them, but a core must not be idle at the end. */
const FILES_PER_PROCESS = 6;
/** Several times what the slowest takes on a quiet machine, and short enough for its result to be reported. */
const PROCESS_TIMEOUT_MS = 1_200_000;
/** Number of files in the final list of the slowest ones. */
const SLOWEST = 15;

/** Longest first, so that no core is idle at the end. */
const RINGS = ['pure', 'acceptance', 'workflow'];
const ALONE = 'test/{chart,faults,commands}/*.test.ts';
const AFTERWARDS = 'test/history/*.test.ts';

const { positionals, values } = parseArgs({ allowPositionals: true, options: { times: { type: 'string' } } });
const times = Number(values.times ?? 1);
const asked = [
  ...new Set(positionals.flatMap((path) => (path.includes('*') ? globSync(path, { cwd: ROOT }) : [path]))),
];
const all = RINGS.flatMap((ring) =>
  globSync([`test/${ring}/**/*.test.ts`, `test/${ring}.ts`], { cwd: ROOT }),
);
const files = asked.length > 0 ? asked.filter((path) => !matchesGlob(path, AFTERWARDS)) : all;
const afterwards = globSync(AFTERWARDS, { cwd: ROOT }).filter(
  (path) => asked.length === 0 || asked.includes(path),
);

// Every test file, worker and command is a separate process that would compile the same modules.
process.env['NODE_COMPILE_CACHE'] ??= COMPILE_CACHE;
execFileSync(process.execPath, [join(ROOT, 'dev', 'compile-code.ts')], { stdio: 'inherit' });

const began = Date.now();
const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupted.abort());
const count = { passed: 0, failed: 0 };
const durations: { file: string; seconds: number }[] = [];
const load = times > 1 ? cpus().map(() => new Worker('for (;;);', { eval: true })) : [];
if (files.every((path) => matchesGlob(path, ALONE))) await runFiles(files);
else await onSharedStack(runAll);
await Promise.all(load.map((worker) => worker.terminate()));
const slowest = durations.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
for (const { file, seconds } of slowest) console.log(`${String(seconds).padStart(4)} s  ${file}`);
console.log(`took ${Math.round((Date.now() - began) / 1000)} s`);
console.log(`${count.passed} passed, ${count.failed} failed`);
process.exit(count.failed > 0 || interrupted.signal.aborted ? 1 : 0);

async function runAll(): Promise<void> {
  await runFiles(files);
  if (!interrupted.signal.aborted) await runFiles(afterwards);
}

/** Runs tests with the address of a disposable stack in their environment. */
async function onSharedStack(tests: () => Promise<void>): Promise<void> {
  console.log('Starting a disposable stack …');
  const google = await startGoogleServer();
  const googleEnv = {
    GOOGLE_BASE_URL: google.url,
    GOOGLE_CLIENT_ID: 'test-client',
    GOOGLE_CLIENT_SECRET: 'test-secret',
  };
  const stack = await startDisposableStack(
    {
      ...process.env,
      ...googleEnv,
      // The web sites of tests answer immediately or never; longer than the shortest wait for an analysis, 5 s.
      WEB_FETCH_SECONDS: '8',
      // On a busy machine, the first question waits for the threads of models to start.
      SEARCH_TIMEOUT_MS: '20000',
    },
    {
      onNotice: console.log,
      signal: interrupted.signal,
      killSignal: new AbortController().signal,
    },
  );
  try {
    Object.assign(process.env, stack.env, googleEnv, {
      DARKROOM_RUN: join(stack.home, 'run.json'),
      DARKROOM_ANSWERS: join(stack.home, 'answers.jsonl'),
      DARKROOM_SNAPSHOTS: join(stack.home, 'snapshots.jsonl'),
    });
    await tests();
  } finally {
    await stack.stop({ keepData: false });
    await google.stop();
  }
}

/**
 * Files with a stack of their own or that are repeated have a process of their own; others share one with neighbours of their
 * folder.
 */
function groupFiles(paths: string[]): string[] {
  if (times > 1)
    return paths.flatMap((path) => Array.from({ length: times }, (_, n) => writeGroup([path], n)));
  const folders = Map.groupBy(paths, (path) => (matchesGlob(path, ALONE) ? path : dirname(path)));
  return [...folders.values()].flatMap((files) => {
    const count = Math.ceil(files.length / FILES_PER_PROCESS);
    return Array.from({ length: count }, (_, n) => writeGroup(files.filter((_file, i) => i % count === n)));
  });
}

/** Writes a module that runs test files one after the other, each with hooks of its own. Returns its path. */
function writeGroup(files: string[], repetition = 0): string {
  const suites = files.map((path) => {
    const [name, url] = [path, pathToFileURL(join(ROOT, path)).href].map((text) => JSON.stringify(text));
    return `await describe(${name}, () => import(${url}));`;
  });
  const path = join(GROUPS, `${repetition}-${files[0]?.replaceAll('/', '-')}`);
  mkdirSync(GROUPS, { recursive: true });
  writeFileSync(path, [`import { describe } from 'node:test';`, ...suites, ''].join('\n'));
  return path;
}

async function runFiles(paths: string[]): Promise<void> {
  if (paths.length === 0) return;
  const stream = run({
    files: groupFiles(paths),
    concurrency: paths.every((path) => matchesGlob(path, ALONE)) ? STACKS : CONCURRENCY,
    timeout: PROCESS_TIMEOUT_MS,
    signal: interrupted.signal,
    forceExit: false,
  });
  for (const event of ['test:pass', 'test:fail'] as const) {
    stream.on(event, ({ name, nesting, details: { type, duration_ms: ms } }) => {
      if (nesting === 0 && type === 'suite') durations.push({ file: name, seconds: Math.round(ms / 1000) });
    });
  }
  stream.on('test:summary', ({ file, counts, success }) => {
    if (file) return;
    const failed = counts.tests - counts.passed - counts.skipped - counts.todo;
    count.passed += counts.passed;
    // A failing hook may not count as a failed test.
    count.failed += success ? failed : Math.max(failed, 1);
  });
  const report = stream.compose(spec);
  for await (const chunk of report) process.stdout.write(chunk);
}
