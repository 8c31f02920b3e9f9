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

/**
 * Generates the documents of one split, always with the same seeds.
 *
 * @param only limits the documents to those whose name contains this text
 */
export async function makeDocuments(
  split: 'development' | 'held-out',
  only: string,
): Promise<QualityDocument[]> {
  const [shapes, seed] = split === 'development' ? [DEVELOPMENT, 1_000] : [HELD_OUT, 77_000];
  const documents: QualityDocument[] = [];
  let scanned = split === 'development' ? 0 : 1;
  for (const [index, shape] of shapes.entries()) {
    const { bytes, truth } = await composeShape(shape, seed + index);
    const add = async (
      kind: string,
      group: Group,
      make: () => Uint8Array | Promise<Uint8Array>,
    ): Promise<void> => {
      const name = `${shape.name}${kind}`;
      if (name.includes(only)) documents.push({ name, group, type: 'pdf', bytes: await make(), truth });
    };
    const scanAs = (design: ScanDesign) => scan(bytes, design, seed + index, MOST_PAGES);
    await add('', 'text layer', () => bytes);
    if (MIXED.includes(shape.name))
      await add(', every second page scanned', 'mixed', async () => mix(bytes, await scanAs(CLEAN)));
    if (!SCANNED.includes(shape.name)) continue;
    await add(', scanned', 'clean scan', () => scanAs(CLEAN));
    const rough = ROUGH[scanned % ROUGH.length];
    if (rough) await add(`, ${rough.name}`, 'rough scan', () => scanAs(rough.design));
    const turns = 1 + (scanned % 3);
    if (TURNED.includes(shape.name))
      await add(`, turned by ${turns * 90}`, 'turned scan', () => scanAs({ ...CLEAN, skew: 0.5, turns }));
    scanned += 1;
  }
  const flowing = (await flowDocuments(seed)).filter(({ name }) => name.includes(only));
  return [...documents, ...(await scansOfLanguages(split, only)), ...flowing];
}
