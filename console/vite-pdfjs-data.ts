import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Plugin } from 'vite';

const FOLDERS = ['cmaps', 'standard_fonts', 'iccs'];
/** Decoders of JPEG 2000 and JBIG2 in JavaScript; WebAssembly would need a weaker policy of the pages. */
const WITHOUT_WASM = /_nowasm_fallback\.js$/;

/**
 * The character maps, fonts and decoders that pdfjs-dist loads by name where a PDF needs them, under a path with its
 * version, which the code knows as `import.meta.env.VITE_PDFJS_DATA`.
 */
export function pdfjsData(): Plugin {
  const manifest = createRequire(import.meta.url).resolve('pdfjs-dist/package.json');
  const folder = dirname(manifest);
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const path = `assets/pdfjs-${version}/`;
  return {
    name: 'pdfjs-data',
    config: (_config, { command }) => ({
      define: {
        'import.meta.env.VITE_PDFJS_DATA': JSON.stringify(
          command === 'serve' ? `/@fs${folder}/` : `/${path}`,
        ),
      },
    }),
    generateBundle() {
      const names = [
        ...FOLDERS.flatMap((name) => readdirSync(join(folder, name)).map((file) => join(name, file))),
        ...readdirSync(join(folder, 'wasm')).flatMap((file) =>
          WITHOUT_WASM.test(file) ? join('wasm', file) : [],
        ),
      ];
      for (const name of names) {
        this.emitFile({ type: 'asset', fileName: path + name, source: readFileSync(join(folder, name)) });
      }
    },
  };
}
