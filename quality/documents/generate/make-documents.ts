import type { Group, QualityDocument } from '../truth.ts';
import { flowDocuments } from './flow-documents.ts';
import { composeShape, DEVELOPMENT, HELD_OUT, MIXED, SCANNED, TURNED } from './shapes.ts';
import { scansOfLanguages } from './scans-of-languages.ts';
import { mix, scan, type ScanDesign } from './scan.ts';

const CLEAN: ScanDesign = { dpi: 200, skew: 0, noise: 0, blur: 0 };
const ROUGH: { name: string; design: ScanDesign }[] = [
  { name: '150 dpi, noise', design: { dpi: 150, skew: 0.4, noise: 14, blur: 0.4 } },
  { name: '200 dpi, skew', design: { dpi: 200, skew: 1.6, noise: 10, blur: 0.5 } },
  { name: '300 dpi, blur', design: { dpi: 300, skew: -0.9, noise: 18, blur: 1 } },
];

const MOST_PAGES = 8;

/** The documents of one split, made anew with the same seeds. */
export async function makeDocuments(split: 'development' | 'held-out'): Promise<QualityDocument[]> {
  const [shapes, seed] = split === 'development' ? [DEVELOPMENT, 1_000] : [HELD_OUT, 77_000];
  const documents: QualityDocument[] = [];
  let scanned = split === 'development' ? 0 : 1;
  for (const [index, shape] of shapes.entries()) {
    const { bytes, truth } = await composeShape(shape, seed + index);
    const add = (kind: string, group: Group, made: Uint8Array): void =>
      void documents.push({ name: `${shape.name}${kind}`, group, type: 'pdf', bytes: made, truth });
    const scanAs = (design: ScanDesign) => scan(bytes, design, seed + index, MOST_PAGES);
    add('', 'text layer', bytes);
    if (MIXED.includes(shape.name))
      add(', every second page scanned', 'mixed', await mix(bytes, await scanAs(CLEAN)));
    if (!SCANNED.includes(shape.name)) continue;
    add(', scanned', 'clean scan', await scanAs(CLEAN));
    const rough = ROUGH[scanned % ROUGH.length];
    if (rough) add(`, ${rough.name}`, 'rough scan', await scanAs(rough.design));
    const turns = 1 + (scanned % 3);
    if (TURNED.includes(shape.name))
      add(`, turned by ${turns * 90}`, 'turned scan', await scanAs({ ...CLEAN, skew: 0.5, turns }));
    scanned += 1;
  }
  return [...documents, ...(await scansOfLanguages(split)), ...(await flowDocuments(seed))];
}
