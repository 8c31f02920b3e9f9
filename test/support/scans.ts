import { writePdf, type PdfObject } from './pdf-writer.ts';
import { imageOfText, type PlacedText } from './images-of-text.ts';

/** Size of a page in a PDF; its image has 200 pixels per inch. */
const [WIDTH, HEIGHT] = [396, 306];
const PIXELS = { width: (WIDTH / 72) * 200, height: (HEIGHT / 72) * 200 };

/** A PDF whose pages are images of these texts, 1,100 × 850 pixels each. */
export async function scannedPdf(pages: readonly (readonly PlacedText[])[]): Promise<Buffer> {
  const kids = pages.map((_, at) => `${3 + at * 3} 0 R`).join(' ');
  const objects: PdfObject[] = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
  ];
  for (const words of pages) {
    const first = objects.length + 1;
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${WIDTH} ${HEIGHT}] /Contents ${first + 1} 0 R
         /Resources << /XObject << /Im ${first + 2} 0 R >> >> >>`,
      { dictionary: '', bytes: Buffer.from(`q ${WIDTH} 0 0 ${HEIGHT} 0 0 cm /Im Do Q`) },
      {
        dictionary: `/Type /XObject /Subtype /Image /Width ${PIXELS.width} /Height ${PIXELS.height} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode`,
        bytes: await imageOfText(PIXELS, words).jpeg({ quality: 90 }).toBuffer(),
      },
    );
  }
  return writePdf(objects);
}
