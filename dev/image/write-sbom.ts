import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '../../domain/version.ts';
import { MODELS, type CataloguedModel } from '../../engines/models/catalogue.ts';

interface Component {
  'bom-ref': string;
  type: string;
  name: string;
  version: string;
  purl: string;
  licenses: { license?: { id: string }; expression?: string }[];
}

/**
 * `node dev/image/write-sbom.ts FILE FFMPEG_VERSION`: writes, as CycloneDX, what the image contains besides Debian's
 * packages: those of npm that are installed, without what is only for development, the models by the packages that they come
 * from, Node, and ffmpeg by its version in Debian, in which faults may be mended that the same version elsewhere has.
 */
const [, , file, ffmpeg] = process.argv;
if (file === undefined || ffmpeg === undefined) {
  throw new Error('Usage: node dev/image/write-sbom.ts FILE FFMPEG_VERSION');
}
const root = join(import.meta.dirname, '../..');
// From the lockfile: npm refuses a folder that lacks packages for development.
const npm = ['sbom', '--omit=dev', '--package-lock-only', '--sbom-format=cyclonedx'];
const sbom = JSON.parse(execFileSync('npm', npm, { encoding: 'utf8', cwd: root })) as {
  metadata: { component: object };
  components: Component[];
};
const installed = findInstalled();
sbom.components = sbom.components.filter((component) => installed.has(component['bom-ref']));
sbom.metadata.component = {
  type: 'application',
  name: 'darkroom',
  version: VERSION,
  purl: `pkg:npm/darkroom@${VERSION}`,
};
sbom.components.push(
  ...MODELS.map(model),
  program('node', process.versions.node, 'MIT', `pkg:generic/node@${process.versions.node}`),
  program(
    'ffmpeg',
    ffmpeg,
    'LGPL-2.1-or-later',
    `pkg:deb/debian/ffmpeg@${encodeURIComponent(ffmpeg)}?distro=bookworm`,
  ),
);
writeFileSync(file, JSON.stringify(sbom));

/** The packages in `node_modules`, as `name@version`. */
function findInstalled(): Set<string> {
  const { packages } = JSON.parse(readFileSync(join(root, 'node_modules/.package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string }>;
  };
  return new Set(
    Object.entries(packages)
      .filter(([path]) => existsSync(join(root, path)))
      .map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`),
  );
}

function model({ name, licence, package: pinned }: CataloguedModel): Component {
  const purl = `pkg:${pinned.registry}/${pinned.name}@${pinned.version}?checksum=sha256:${pinned.sha256}`;
  return { ...program(name, pinned.version, licence, purl), type: 'machine-learning-model' };
}

function program(name: string, version: string, license: string, purl: string): Component {
  return {
    'bom-ref': purl,
    type: 'application',
    name,
    version,
    purl,
    licenses: [{ license: { id: license } }],
  };
}
