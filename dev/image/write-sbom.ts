import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '../../domain/version.ts';

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
 * packages. Runs before unused packages are removed, so it lists these, too.
 */
const [, , file, ffmpeg] = process.argv;
if (file === undefined || ffmpeg === undefined) {
  throw new Error('Usage: node dev/image/write-sbom.ts FILE FFMPEG_VERSION');
}
// From the lockfile: npm refuses a folder that lacks packages for development.
const npm = ['sbom', '--omit=dev', '--package-lock-only', '--sbom-format=cyclonedx'];
const sbom = JSON.parse(
  execFileSync('npm', npm, { encoding: 'utf8', cwd: join(import.meta.dirname, '../..') }),
) as {
  metadata: { component: object };
  components: Component[];
};
sbom.metadata.component = {
  type: 'application',
  name: 'darkroom',
  version: VERSION,
  purl: `pkg:npm/darkroom@${VERSION}`,
};
sbom.components.push(
  program('node', process.versions.node, 'MIT'),
  program('ffmpeg', ffmpeg, 'LGPL-2.1-or-later'),
);
writeFileSync(file, JSON.stringify(sbom));

function program(name: string, version: string, license: string): Component {
  const purl = `pkg:generic/${name}@${version}`;
  return {
    'bom-ref': purl,
    type: 'application',
    name,
    version,
    purl,
    licenses: [{ license: { id: license } }],
  };
}
