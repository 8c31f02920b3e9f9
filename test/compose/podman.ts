import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { UsageError } from '../../cli/shared/usage-error.ts';
import { unpackDebian } from '../../lab/quality/systems/debian-packages.ts';
import { installPython } from '../../lab/shared/virtual-environment.ts';
import { PROJECT_ROOT } from '../../dev/project-root.ts';

const exec = promisify(execFile);

/** Images, containers and volumes of the tests, apart from those of the machine. */
const HOME = join(PROJECT_ROOT, '.cache/containers');
const REQUIREMENTS = join(import.meta.dirname, 'podman-compose.txt');
/** Debian's packages have these names as well. */
const PROGRAMS = ['podman', 'runc', 'netavark', 'debootstrap'];
/** Where Podman has its helpers, which are on no PATH. */
const HELPER_FOLDERS = ['/usr/lib/podman', '/usr/libexec/podman'];
const MOST_OUTPUT = 64 * 1024 ** 2;
/** Name of the composition, with which the names of its volumes begin. */
export const PROJECT = 'darkroom-test';

export interface Podman {
  /** Runs a command of Podman and returns what it prints. Throws an error with its last lines if it fails. */
  run(args: readonly string[]): Promise<string>;
  /** Runs a command of podman-compose on `docker-compose.yml`, with the settings of a file. */
  compose(args: readonly string[]): Promise<string>;
  /** The same, with the input and output of this process. */
  attach(args: readonly string[]): Promise<void>;
  /** Names of the containers of a service that run or have run. */
  containersOf(service: string): Promise<string[]>;
  /** Removes the containers and networks of the composition; volumes and images stay. */
  removeContainers(): Promise<void>;
  /** Removes its volumes as well; images stay. */
  removeAll(): Promise<void>;
}

/**
 * Podman with a store of its own in `.cache`, and podman-compose from PyPI. Works without systemd, as root.
 *
 * @param envFile the settings of the composition
 * @param override a second file of the composition
 * @throws UsageError if a program is missing, or podman-compose cannot be installed
 */
export async function openPodman(envFile: string, override?: string): Promise<Podman> {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...HELPER_FOLDERS];
  const missing = PROGRAMS.filter((name) => !folders.some((folder) => existsSync(join(folder, name))));
  if (missing.length > 0) throw new UsageError(`Install ${missing.join(', ')} from Debian's packages first.`);
  const python = await installPython({
    name: 'podman-compose',
    requirements: REQUIREMENTS,
    proof: ['bin/podman-compose', 'version', '--short'],
  });
  const init = join(await unpackDebian('catatonit', ['catatonit']), 'usr/bin/catatonit');
  const env = { ...process.env, ...configure(init) };
  const run = (command: string, args: readonly string[]) => output(command, args, env);
  const podmanCompose = join(python, 'bin/podman-compose');
  const files = override === undefined ? [] : ['--file', 'docker-compose.yml', '--file', override];
  const own = ['--project-name', PROJECT, '--env-file', envFile, ...files];
  const compose = (args: readonly string[]) => run(podmanCompose, [...own, ...args]);
  const list = async (args: readonly string[]) => {
    const names = await run('podman', args);
    return names.split('\n').filter(Boolean).toSorted();
  };
  /** podman-compose knows no replica but the first. */
  const removeContainers = async () => {
    const project = `label=io.podman.compose.project=${PROJECT}`;
    const left = await list(['ps', '--all', '--quiet', '--filter', project]);
    if (left.length > 0) await run('podman', ['rm', '--force', '--time', '30', ...left]);
    await compose(['down']);
  };
  return {
    removeContainers,
    run: (args) => run('podman', args),
    compose,
    async attach(args) {
      const child = spawn(podmanCompose, [...own, ...args], { env, cwd: PROJECT_ROOT, stdio: 'inherit' });
      const [code] = (await once(child, 'close')) as [number | null];
      if (code !== 0) throw new Error(`podman-compose ${args.join(' ')} ended with ${code}`);
    },
    async removeAll() {
      await removeContainers();
      const volumes = await list(['volume', 'ls', '--quiet']);
      const left = volumes.filter((name) => name.startsWith(`${PROJECT}_`));
      if (left.length > 0) await run('podman', ['volume', 'rm', ...left]);
    },
    async containersOf(service) {
      const labels = { 'io.podman.compose.project': PROJECT, 'com.docker.compose.service': service };
      const filters = Object.entries(labels).flatMap(([name, value]) => [
        '--filter',
        `label=${name}=${value}`,
      ]);
      return list(['ps', '--all', '--format', '{{.Names}}', ...filters]);
    },
  };
}

/** Writes Podman's configuration, and returns the variables that name it. `init` is the program for `init: true`. */
function configure(init: string): Record<string, string> {
  mkdirSync(HOME, { recursive: true });
  const write = (name: string, text: string) => {
    const path = join(HOME, name);
    writeFileSync(path, text);
    return path;
  };
  // Sockets are in the run folder, whose path has to be short.
  const run = join(tmpdir(), 'darkroom-containers');
  return {
    CONTAINERS_STORAGE_CONF: write(
      'storage.conf',
      `[storage]\ndriver = "overlay"\ngraphroot = "${HOME}/store"\nrunroot = "${run}"\n`,
    ),
    CONTAINERS_CONF: write(
      'containers.conf',
      [
        '[containers]',
        `init_path = "${init}"`,
        // Podman's own are refused where root may not raise limits.
        'default_ulimits = ["nofile=16384:16384", "nproc=16384:16384"]',
        '[engine]',
        'runtime = "runc"',
        'cgroup_manager = "cgroupfs"',
        'events_logger = "file"',
        `volume_path = "${HOME}/volumes"`,
        `tmp_dir = "${run}/libpod"`,
        '[network]',
        'network_backend = "netavark"',
        `network_config_dir = "${HOME}/networks"`,
        '',
      ].join('\n'),
    ),
  };
}

async function output(
  command: string,
  args: readonly string[],
  env: Record<string, string | undefined>,
): Promise<string> {
  try {
    const { stdout } = await exec(command, args, { env, cwd: PROJECT_ROOT, maxBuffer: MOST_OUTPUT });
    return stdout.trim();
  } catch (error) {
    if (!(error instanceof Error && 'stderr' in error)) throw error;
    const last = String(error.stderr).trim().split('\n').slice(-15).join('\n');
    throw new Error(`${command} ${args.join(' ')} failed:\n${last}`, { cause: error });
  }
}
