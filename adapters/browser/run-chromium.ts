import { spawn, type ChildProcess } from 'node:child_process';
import { chown, lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { limitedCommand } from '../../engines/hosts/limited-command.ts';
import { treeUse } from '../../engines/hosts/processor-time.ts';
import { watchTask, type TaskBudget } from '../../engines/hosts/task-host.ts';
import { USER_AGENT } from '../../domain/links/user-agent.ts';
import { traced } from '../../domain/tracing.ts';
import { DevToolsClosed, openDevTools, type DevTools } from './devtools-pipe.ts';

export interface ChromiumTask {
  path: string;
  sandbox: boolean;
  /** The proxy for all traffic of the browser. */
  proxyUrl: string;
  budget: TaskBudget;
  signal: AbortSignal;
}

/** The browser exited early, or could not be started. */
export class ChromiumGone extends Error {
  override readonly name = 'ChromiumGone';
}

/** Memory limit of all processes of a browser together. */
const MAX_RESIDENT_BYTES = 2 * 2 ** 30;
/** Characters of the end of stderr that are logged. */
const MAX_SAID = 2_000;
/** The user `nobody`, as whom a worker that is root runs the browser. */
const NOBODY = 65_534;
const MAX_FILE_BYTES = 256 * 2 ** 20;
const FLAGS = [
  '--headless',
  '--remote-debugging-pipe',
  '--no-first-run',
  '--no-default-browser-check',
  '--no-pings',
  '--mute-audio',
  '--hide-scrollbars',
  '--block-new-web-contents',
  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-client-side-phishing-detection',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-dev-shm-usage',
  '--disable-domain-reliability',
  '--disable-extensions',
  '--disable-gpu',
  '--disable-quic',
  '--disable-sync',
  '--disk-cache-size=1',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--proxy-bypass-list=<-loopback>',
  // The proxy resolves names; the browser must not query DNS.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--disable-features=Translate,OptimizationHints,MediaRouter,InterestFeedContentSuggestions,DialMediaRouteProvider',
  `--user-agent=${USER_AGENT.header}`,
];

/** Prefix of the profile folders below the folder for temporary files. */
const PROFILE = 'darkroom-chromium-';
/** Longer than any browser runs. */
const ABANDONED_MS = 3_600_000;

/**
 * Runs a browser with an empty profile in its own process group, within limits of memory and time. Afterwards the group
 * is killed and the profile removed; profiles left by killed workers are removed as well.
 *
 * @throws ChromiumGone, HostEnded if the browser exceeds its limits, the reason of the signal, and errors of `use`
 */
export async function runChromium<T>(
  task: ChromiumTask,
  use: (devtools: DevTools) => Promise<T>,
): Promise<T> {
  task.signal.throwIfAborted();
  await removeAbandoned();
  const profile = await mkdtemp(join(tmpdir(), PROFILE));
  try {
    return await traced('process chromium', () => runIn(profile, task, use));
  } finally {
    await remove(profile);
  }
}

async function removeAbandoned(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names.filter((each) => each.startsWith(PROFILE))) {
    const path = join(tmpdir(), name);
    const found = await lstat(path).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > ABANDONED_MS) await remove(path);
  }
}

/** Ignores errors: a leftover is removed by a later run. */
async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
}

async function runIn<T>(
  profile: string,
  { path, sandbox, proxyUrl, budget, signal }: ChromiumTask,
  use: (devtools: DevTools) => Promise<T>,
): Promise<T> {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chown(profile, NOBODY, NOBODY);
  signal.throwIfAborted();
  const own = [
    `--user-data-dir=${profile}`,
    `--proxy-server=${proxyUrl}`,
    ...(sandbox ? [] : ['--no-sandbox']),
  ];
  const limits = { fileBytes: MAX_FILE_BYTES };
  const child = spawn(...limitedCommand(limits, [path, ...FLAGS, ...own, 'about:blank']), {
    cwd: '/',
    detached: true,
    // The environment of the worker contains secrets.
    env: { HOME: profile, TMPDIR: profile, LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    ...(isRoot && { uid: NOBODY, gid: NOBODY }),
  });
  const ended = endOf(child);
  // Undefined if this process has no file descriptors left; then the spawn has already failed.
  const [, , , commands, answers] = (child.stdio ?? []) as unknown as [
    null,
    null,
    null,
    Writable?,
    Readable?,
  ];
  if (!commands || !answers) throw await ended;
  const over = Promise.withResolvers<never>();
  const stop = watchTask({
    use: () => treeUse(child.pid),
    before: 0,
    budget,
    maxBytes: MAX_RESIDENT_BYTES,
    signal,
    onOver: over.reject,
  });
  const gone = ended.then((error) => Promise.reject(error));
  try {
    const used = (async () => use(openDevTools(commands, answers)))();
    return await Promise.race([used, over.promise, gone]);
  } catch (error) {
    killGroup(child);
    // The exit of the browser explains more than its closed pipe.
    throw error instanceof DevToolsClosed ? await ended : error;
  } finally {
    stop();
    killGroup(child);
    await ended;
  }
}

/** Resolves when the process has exited or could not be started, with the end of stderr as the cause. */
function endOf(child: ChildProcess): Promise<ChromiumGone> {
  let said = '';
  child.stderr
    ?.setEncoding('utf8')
    .on('data', (text: string) => void (said = (said + text).slice(-MAX_SAID)))
    .on('error', () => undefined);
  return new Promise((resolve) => {
    child.once('error', (cause) => resolve(new ChromiumGone('the browser cannot be started', { cause })));
    child.once('exit', (code, by) =>
      // By now stderr has been read to its end.
      setImmediate(() => {
        const cause = new Error(said.trim());
        resolve(new ChromiumGone(`the browser ended (${by ?? `exit code ${code}`})`, { cause }));
      }),
    );
  });
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has already exited.
  }
}
