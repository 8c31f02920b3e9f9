import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const [toBrotli, toGzip] = [promisify(brotliCompress), promisify(gzip)];
const fromHere = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The API that `npm run dev -w console` forwards requests to. */
const api = process.env['DARKROOM_URL'] ?? 'http://127.0.0.1:8080';

/** What the sign-in needs. Everything else that the library needs at once, where most visits begin, is one more file. */
const BASE =
  /console\/src\/(styles|ui\/(button|field)|lib\/(client|show|theme)|features\/auth\/(auth-page|texts))\.|\/sdk\/src\/|node_modules\/((react|react-dom|scheduler|openapi-fetch)\/|lucide-react\/dist\/esm\/(?!icons\/(?!loader-circle)))/;

/**
 * The texts, which other modules read while they are loaded, so they wait for the catalogue of a language. They may import
 * nothing of the other files: modules in a circle do not wait for each other.
 */
const TEXTS =
  /console\/src\/(texts|lib\/(language|translate))\.ts|node_modules\/(intl-messageformat|@formatjs\/[^/]+)\/|vite\/preload-helper/;

/** Writes each text file of a finished build a second and third time, compressed, because the API compresses nothing. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      const files = Object.keys(bundle).filter((name) => /\.(m?js|css)$/.test(name));
      await Promise.all(
        files.map(async (name) => {
          const path = join(dir, name);
          const bytes = await readFile(path);
          await writeFile(`${path}.br`, await toBrotli(bytes));
          await writeFile(`${path}.gz`, await toGzip(bytes));
        }),
      );
    },
  };
}

/** Fails a build whose texts wait for what waits for them. */
function textsFirst(): Plugin {
  return {
    name: 'texts-first',
    apply: 'build',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle))
        if (file.type === 'chunk' && file.name === 'language' && file.imports.length > 0)
          throw new Error('the texts import what may import them, and would be read before they are there');
    },
  };
}

export default defineConfig({
  root: fromHere('.'),
  plugins: [react(), tailwindcss(), textsFirst(), compressed()],
  // The client in its source, so that the console is built without building the client first.
  resolve: { alias: { 'darkroom-client': fromHere('../sdk/src/index.ts') } },
  // Inlined assets would need `data:` in the policy of the pages.
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: ['index.html', 'sign-in.html'].map(fromHere),
      output: {
        codeSplitting: {
          // Few, since a request takes a phone as long as 60 kB.
          groups: [
            { name: 'language', test: TEXTS },
            { name: 'base', test: BASE },
            { name: 'library', tags: ['$initial'], test: /(?<!main\.tsx|sign-in\.tsx|\.html)$/ },
            { name: 'icons', test: /node_modules\/lucide-react\//, minShareCount: 2 },
          ],
          includeDependenciesRecursively: false,
        },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    proxy: {
      '/api': {
        target: api,
        changeOrigin: true,
        // The API refuses writes from pages of other origins.
        configure: (proxy) =>
          proxy.on('proxyReq', (request) => {
            if (request.hasHeader('origin')) request.setHeader('origin', api);
          }),
      },
    },
  },
});
