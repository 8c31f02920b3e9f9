import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FFMPEG_WHEEL } from '../../adapters/video-reader/find-ffmpeg.ts';
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
 * `node dev/image/write-sbom.ts FILE`: writes, as CycloneDX, what the image contains besides Debian's packages. Runs before unused
 * packages are removed, so it lists these, too.
 */
const [, , file] = process.argv;
if (file === undefined) throw new Error('Usage: node dev/image/write-sbom.ts FILE');
const npm = ['sbom', '--omit=dev', '--sbom-format=cyclonedx'];
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
const [, ffmpeg = ''] = /-v([\d.]+)$/.exec(FFMPEG_WHEEL.member) ?? [];
sbom.components.push(
  program('node', process.versions.node, `pkg:generic/node@${process.versions.node}`, 'MIT'),
  program('ffmpeg', ffmpeg, `pkg:pypi/${FFMPEG_WHEEL.package}@${FFMPEG_WHEEL.version}`, 'GPL-3.0-or-later'),
);
writeFileSync(file, JSON.stringify(sbom));

function program(name: string, version: string, purl: string, license: string): Component {
  return {
    'bom-ref': purl,
    type: 'application',
    name,
    version,
    purl,
    licenses: [{ license: { id: license } }],
  };
}
