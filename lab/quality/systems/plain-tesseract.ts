import sharp from 'sharp';
import { createWorker, OEM, type Worker } from 'tesseract.js';
import { createDocumentReader } from '../../../engines/document-reader/create-document-reader.ts';
import { createProcessPool } from '../../../engines/hosts/process-pool.ts';
import { findLanguageData } from '../../../engines/text-recogniser/language-data.ts';
import type { System } from './system.ts';

/** Tesseract as it is used without anything around it: each page as one image, in English. */
export function createPlainTesseract(stop: AbortSignal): System {
  const reader = createDocumentReader({ createPool: createProcessPool, slots: 1 });
  let starting: Promise<Worker> | undefined;
  const start = (): Promise<Worker> =>
    createWorker('eng', OEM.LSTM_ONLY, {
      langPath: findLanguageData(['eng'])(),
      gzip: true,
      cacheMethod: 'none',
    });
  return {
    name: 'tesseract.js',
    async extract({ type }, path) {
      const worker = await (starting ??= start());
      const source = { path, type, tenantId: 'quality' };
      const { pageCount } = await reader.inspect(source, stop);
      let text = '';
      for (let number = 1; number <= pageCount; number++) {
        const { grey, width, height } = await reader.renderPage(source, number, stop);
        const png = await sharp(grey, { raw: { width, height, channels: 1 } })
          .png()
          .toBuffer();
        text += `${(await worker.recognize(png)).data.text}\n`;
      }
      return { text, headings: [], tables: [] };
    },
    async close() {
      await Promise.all([reader.close(), starting?.then((worker) => worker.terminate())]);
    },
  };
}
