import { createCanvas } from '@napi-rs/canvas';
import { PDFDocument } from 'pdf-lib';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import sharp from 'sharp';
import { createDice } from '../../shared/dice.ts';

export interface ScanDesign {
  dpi: number;
  /** In degrees. */
  skew: number;
  /** Standard deviation in levels of grey. */
  noise: number;
  /** Radius in pixels; 0 for none. */
  blur: number;
  /** Of the JPEG, in percent; 85 by default. */
  quality?: number;
  /** Clockwise rotation of the paper in quarter turns. */
  turns?: number;
}

const STANDARD_FONTS = new URL('../../../node_modules/pdfjs-dist/standard_fonts/', import.meta.url).pathname;

/** A PDF with the pages of another as images, like a scan. */
export async function scan(
  bytes: Uint8Array,
  { dpi, skew, noise, blur, quality = 85, turns = 0 }: ScanDesign,
  seed: number,
  mostPages: number,
) {
  const loading = getDocument({ data: bytes.slice(), standardFontDataUrl: STANDARD_FONTS, verbosity: 0 });
  const source = await loading.promise;
  const target = await PDFDocument.create();
  const dice = createDice(seed);
  for (let number = 1; number <= Math.min(source.numPages, mostPages); number++) {
    const page = await source.getPage(number);
    const viewport = page.getViewport({ scale: dpi / 72 });
    const canvas = createCanvas(Math.round(viewport.width), Math.round(viewport.height));
    const canvasContext = canvas.getContext('2d');
    await page.render({
      canvas: canvas as never,
      canvasContext,
      viewport,
      background: '#fff',
    }).promise;
    let image = sharp(canvas.toBuffer('image/png')).flatten({ background: '#fff' }).greyscale();
    if (skew !== 0) image = image.rotate(skew, { background: '#fff' });
    // sharp applies only the last rotation of a pipeline.
    if (turns > 0) image = sharp(await image.png().toBuffer()).rotate(turns * 90);
    if (blur > 0) image = image.blur(blur);
    const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
    if (noise > 0)
      for (let at = 0; at < data.length; at++) {
        const shift = (dice.fraction() + dice.fraction() + dice.fraction() - 1.5) * 2 * noise;
        data[at] = Math.max(0, Math.min(255, (data[at] ?? 0) + shift));
      }
    const raw = { width: info.width, height: info.height, channels: info.channels };
    const jpeg = await sharp(data, { raw }).jpeg({ quality }).toBuffer();
    const [width, height] = [(info.width / dpi) * 72, (info.height / dpi) * 72];
    target.addPage([width, height]).drawImage(await target.embedJpg(jpeg), { x: 0, y: 0, width, height });
  }
  await loading.destroy();
  return target.save();
}

/** Replaces every second page by the one of another document with the same pages. */
export async function mix(odd: Uint8Array, even: Uint8Array): Promise<Uint8Array> {
  const [one, other, target] = [
    await PDFDocument.load(odd),
    await PDFDocument.load(even),
    await PDFDocument.create(),
  ];
  for (let index = 0; index < one.getPageCount(); index++) {
    const [page] = await target.copyPages(index % 2 === 0 ? one : other, [index]);
    if (page) target.addPage(page);
  }
  return target.save();
}
