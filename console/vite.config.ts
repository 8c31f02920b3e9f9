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

/**
 * What most pages need, in one file, since a request takes a phone as long as 60 kB. Forms, tabs and open menus bring
 * large packages, which have their own files.
 */
const SHARED =
  /console\/src\/(ui|lib)\/(?!forms|tabs|open-menu|language|translate)|node_modules\/(react-dom|scheduler|@tanstack\/(?!react-virtual|virtual-core)[^/]+)\//;

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

/** Lets browsers load the code of the library, where most visits begin, together with that of every page. */
function preloadedLibrary(): Plugin {
  return {
    name: 'preloaded-library',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
        const page = chunks.find(({ name }) => name === 'library-page');
        if (!page) throw new Error('the library has no chunk of its own');
        if (chunks.some(({ name, imports }) => name === 'language' && imports.length > 0)) {
          throw new Error('the texts import what may import them, and would be read before they are there');
        }
        // A set is iterated over what is added meanwhile.
        const needed = new Set([page.fileName]);
        for (const name of needed) {
          for (const next of chunks.find(({ fileName }) => fileName === name)?.imports ?? [])
            needed.add(next);
        }
        return [...needed]
          .filter((name) => !html.includes(name))
          .map((name) => ({
            tag: 'link',
            attrs: { rel: 'modulepreload', crossorigin: true, href: `/${name}` },
            injectTo: 'head',
          }));
      },
    },
  };
}

export default defineConfig({
  root: fromHere('.'),
  plugins: [react(), tailwindcss(), preloadedLibrary(), compressed()],
  // The client in its source, so that the console is built without building the client first.
  resolve: { alias: { 'darkroom-client': fromHere('../sdk/src/index.ts') } },
  // Inlined assets would need `data:` in the policy of the pages.
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'language', test: TEXTS },
            { name: 'shared', test: SHARED },
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
