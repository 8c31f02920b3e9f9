import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROJECT_ROOT } from '../../dev/project-root.ts';

const run = promisify(execFile);

/** Of Kubernetes; the modules of its parts have the same version with `v0`. */
export const VERSION = '1.34.4';
/** Sources of the custom resources that the chart has objects of, with the folders of their definitions. */
const OPERATORS = {
  'github.com/kedacore/keda/v2@v2.18.0': 'config/crd/bases',
  'github.com/prometheus-operator/prometheus-operator@v0.85.0': 'example/prometheus-operator-crd',
};
/** Etcd is in the version that Kubernetes tests with. */
const PROGRAMS = ['./cmd/kube-apiserver', './cmd/kube-controller-manager', 'go.etcd.io/etcd/server/v3'];
const MOST_OUTPUT = 64 * 1024 ** 2;

/** The folder with `kube-apiserver`, `kube-controller-manager` and `server`, which is etcd. The first time, Go builds them. */
export async function buildServers(): Promise<string> {
  const folder = join(PROJECT_ROOT, '.cache', `kubernetes-servers-${VERSION}`);
  if (existsSync(folder)) return folder;
  const draft = `${folder}.draft`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  const source = await sourceOf(`k8s.io/kubernetes@v${VERSION}`);
  const modules = await readFile(join(source, 'go.mod'), 'utf8');
  // The repository has its parts in folders, which are not in its module.
  const released = modules.replaceAll(/=> \.\/staging\/src\/(\S+)/g, `=> $1 v${VERSION.replace('1', '0')}`);
  await writeFile(join(draft, 'go.mod'), released);
  // Go adds the hashes of those parts; a copy of the file would be as read-only as it is.
  await writeFile(join(draft, 'go.sum'), await readFile(join(source, 'go.sum')));
  const version = 'k8s.io/component-base/version';
  const [major, minor] = VERSION.split('.');
  const versions = { gitVersion: `v${VERSION}`, gitMajor: major, gitMinor: minor };
  const linked = Object.entries(versions).map(([name, value]) => `-X ${version}.${name}=${value}`);
  // Without optimisation, which takes a third of the time.
  const flags = ['-mod=mod', `-modfile=${join(draft, 'go.mod')}`, '-p=2', '-trimpath', '-gcflags=all=-N -l'];
  await run('go', ['build', ...flags, `-ldflags=-s -w ${linked.join(' ')}`, '-o', draft, ...PROGRAMS], {
    cwd: source,
    env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' },
    maxBuffer: MOST_OUTPUT,
  });
  await rename(draft, folder);
  return folder;
}

/** The files with the definitions of custom resources. */
export async function definitionFolders(): Promise<string[]> {
  return Promise.all(
    Object.entries(OPERATORS).map(async ([module, folder]) => join(await sourceOf(module), folder)),
  );
}

/** The folder with the source of a Go module, whose hash Go compares with its public log. */
async function sourceOf(module: string): Promise<string> {
  const { stdout } = await run('go', ['mod', 'download', '-json', module], { cwd: PROJECT_ROOT });
  return (JSON.parse(stdout) as { Dir: string }).Dir;
}
