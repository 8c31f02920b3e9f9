import type { QualityDocument } from '../truth.ts';
import { flowDocuments } from './flow-documents.ts';
import { composeShape, DEVELOPMENT, HELD_OUT, SCANNED } from './shapes.ts';
import { scan, type ScanDesign } from './scan.ts';

const CLEAN: ScanDesign = { dpi: 200, skew: 0, noise: 0, blur: 0 };
const ROUGH: { name: string; design: ScanDesign }[] = [
  { name: '150 dpi, noise', design: { dpi: 150, skew: 0.4, noise: 14, blur: 0.4 } },
  { name: '200 dpi, skew', design: { dpi: 200, skew: 1.6, noise: 10, blur: 0.5 } },
  { name: '300 dpi, blur', design: { dpi: 300, skew: -0.9, noise: 18, blur: 1 } },
];

/** The documents of one split, made anew with the same seeds. */
export async function makeDocuments(split: 'development' | 'held-out'): Promise<QualityDocument[]> {
  const [shapes, seed] = split === 'development' ? [DEVELOPMENT, 1_000] : [HELD_OUT, 77_000];
  const documents: QualityDocument[] = [];
  let scanned = 0;
  for (const [index, shape] of shapes.entries()) {
    const { bytes, truth } = await composeShape(shape, seed + index);
    documents.push({ name: shape.name, group: 'text layer', type: 'pdf', bytes, truth });
    if (!SCANNED.includes(shape.name)) continue;
    const pages = 4;
    const clean = await scan(bytes, CLEAN, seed + index, pages);
    documents.push({ name: `${shape.name}, scanned`, group: 'clean scan', type: 'pdf', bytes: clean, truth });
    const rough = ROUGH[(scanned + (split === 'development' ? 0 : 1)) % ROUGH.length];
    scanned += 1;
    if (!rough) continue;
    const poor = await scan(bytes, rough.design, seed + index, pages);
    documents.push({
      name: `${shape.name}, ${rough.name}`,
      group: 'rough scan',
      type: 'pdf',
      bytes: poor,
      truth,
    });
  }
  return [...documents, ...(await flowDocuments(seed))];
}
