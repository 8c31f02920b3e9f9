import { globSync } from 'node:fs';
import { join, matchesGlob, relative } from 'node:path';
import { run } from 'node:test';
import { text } from 'node:stream/consumers';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { startDisposableStack } from '../dev/launcher/disposable-stack.ts';
import { COMPILE_CACHE } from '../dev/project-root.ts';
import { startGoogleServer } from './support/google-server.ts';

/**
 * `npm test [FILE …]`: starts one disposable stack and runs every test file on it except those of `faults` and
 * `commands`. Then it compares each workflow of the tests with the responses of the API, and each response with the
 * OpenAPI document. `npm run test:faults` and `npm run test:commands` run the other files, which start their own stacks.
 * The last line is `N passed, N failed`.
 */
const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Processes at a time, for two cores: some files mostly wait for workflows; more would slow each other down. */
const CONCURRENCY = 3;
/** A process of several files loads their modules once; with more files a core would be idle at the end. */
const FILES_PER_PROCESS = 6;
const FILE_TIMEOUT_MS = 600_000;
/** Number of files in the final list of the slowest ones. */
const SLOWEST = 15;

/** Longest first, so that no core is idle at the end. */
const RINGS = ['pure', 'console', 'acceptance', 'workflow', 'integration'];
const ALONE = 'test/{faults,commands}/*.test.ts';
const AFTERWARDS = 'test/history/*.test.ts';
/** They start a stack, run many files, register a medium, or move the folder of temporary files. */
const IN_OWN_PROCESS = `{${ALONE},test/pure.ts,test/**/another-medium.test.ts,test/**/screenshots.test.ts}`;

const asked = process.argv.slice(2);
const all = RINGS.flatMap((ring) =>
  globSync([`test/${ring}/**/*.test.ts`, `test/${ring}.ts`], { cwd: ROOT }),
);
const files = asked.length > 0 ? asked.filter((path) => !matchesGlob(path, AFTERWARDS)) : all;
const afterwards = globSync(AFTERWARDS, { cwd: ROOT }).filter(
  (path) => asked.length === 0 || asked.includes(path),
);

// Every test file, worker and command is a separate process that would compile the same modules.
process.env['NODE_COMPILE_CACHE'] ??= COMPILE_CACHE;

const began = Date.now();
const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupted.abort());
const count = { passed: 0, failed: 0 };
const durations: { file: string; seconds: number }[] = [];
if (files.every((path) => matchesGlob(path, ALONE))) await runFiles(files);
else await onSharedStack(runAll);
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
    // The web sites of tests answer immediately or never.
    { ...process.env, ...googleEnv, WEB_FETCH_SECONDS: '5' },
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

async function runFiles(paths: string[]): Promise<void> {
  const groups = groupsOf(paths).values();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (const group of groups) if (!interrupted.signal.aborted) await runGroup(group);
    }),
  );
}

/** Divides files, in order, among processes. */
function groupsOf(paths: string[]): string[][] {
  const rings = Object.groupBy(paths, (path) =>
    matchesGlob(path, IN_OWN_PROCESS) ? path : relative('test', path).split('/', 1).join(''),
  );
  return Object.values(rings).flatMap((ring = []) =>
    Array.from({ length: Math.ceil(ring.length / FILES_PER_PROCESS) }, (_, index) =>
      ring.slice(index * FILES_PER_PROCESS, (index + 1) * FILES_PER_PROCESS),
    ),
  );
}

/** Runs test files in one process, and prints their report when it ends. */
async function runGroup(paths: string[]): Promise<void> {
  const stream = run({
    files: [join(ROOT, 'test/group.ts')],
    argv: paths,
    timeout: FILE_TIMEOUT_MS * paths.length,
    signal: interrupted.signal,
    forceExit: false,
  });
  stream.on('test:complete', ({ name, nesting, details }) => {
    if (nesting > 0 || details.type !== 'suite') return;
    durations.push({ file: name, seconds: Math.round(details.duration_ms / 1000) });
  });
  let failedFiles = 0;
  stream.on('test:fail', ({ nesting, details }) => {
    // A file that cannot be imported, or whose hook fails, is a suite that failed without a failed test.
    const { failureType } = details.error as { failureType?: string };
    if (nesting === 0 && details.type === 'suite' && failureType !== 'subtestsFailed') failedFiles += 1;
  });
  stream.on('test:summary', ({ file, counts, success }) => {
    if (file) return;
    const failed = counts.tests - counts.passed - counts.skipped - counts.todo + failedFiles;
    count.passed += counts.passed;
    // A process that crashes may not count as a failed test.
    count.failed += success ? failed : Math.max(failed, 1);
  });
  process.stdout.write(await text(stream.compose(spec)));
}
