import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { PDFDocument } from 'pdf-lib';
import { prepareZXingModule, writeBarcode } from 'zxing-wasm/writer';
import { createDice, type Dice } from '../../shared/dice.ts';
import { scan } from '../generate/scan.ts';
import type { Half } from '../half.ts';
import { madeLetters } from './letters.ts';
import { splitSources, type SplitSource } from './sources.ts';

/** A PDF of several documents, and the pages on which they begin, without the first. */
export interface Bundle {
  name: string;
  bytes: Uint8Array;
  begins: number[];
}

/** How the documents of a bundle are chosen and joined. */
interface Design {
  name: string;
  of: 'any' | 'letters' | 'one maker';
  between?: 'blank' | 'duplex' | 'barcode';
  scanned?: boolean;
  /** A single document, in which nothing begins. */
  single?: true;
}

const DESIGNS: readonly Design[] = [
  { name: 'any documents', of: 'any' },
  { name: 'any documents, again', of: 'any' },
  { name: 'any documents, both sides', of: 'any', between: 'duplex' },
  { name: 'letters', of: 'letters' },
  { name: 'letters of one firm', of: 'letters' },
  { name: 'letters, both sides', of: 'letters', between: 'duplex' },
  { name: 'letters and barcodes', of: 'letters', between: 'barcode' },
  { name: 'letters, scanned', of: 'letters', scanned: true },
  { name: 'letters and blanks, scanned', of: 'letters', between: 'blank', scanned: true },
  { name: 'letters and barcodes, scanned', of: 'letters', between: 'barcode', scanned: true },
  { name: 'one maker', of: 'one maker' },
  { name: 'another maker', of: 'one maker' },
  { name: 'one maker, both sides', of: 'one maker', between: 'duplex' },
  { name: 'a single document', of: 'any', single: true },
  { name: 'another single document', of: 'any', single: true },
];
const MOST_PAGES = 6;
const MOST_OF_A_MAKER = 3;
const MOST_SINGLE_PAGES = 60;
const MOST_SCANNED_PAGES = 14;
const SCAN = { dpi: 150, skew: 0.4, noise: 10, blur: 0.3 };
const A4 = [595, 842] as const;

/** The bundles of one half, always the same. */
export async function makeBundles(half: Half): Promise<Bundle[]> {
  const wasm = await readFile(fileURLToPath(import.meta.resolve('zxing-wasm/writer/zxing_writer.wasm')));
  await prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasm).buffer }, fireImmediately: true });
  const real = await splitSources(half);
  const letters = await madeLetters(half);
  const bundles: Bundle[] = [];
  for (const [at, design] of DESIGNS.entries()) {
    const dice = createDice((half === 'development' ? 500 : 8_500) + at);
    bundles.push(await makeBundle(design, choose(design, { real, letters }, dice), dice, at));
  }
  return bundles;
}

function choose(
  { of, single, scanned, name }: Design,
  { real, letters }: { real: SplitSource[]; letters: SplitSource[] },
  dice: Dice,
): SplitSource[] {
  const count = single ? 1 : scanned ? 5 : dice.whole(5, 8);
  if (of === 'letters') {
    const firm = dice.pick(letters).maker;
    const among = name === 'letters of one firm' ? letters.filter(({ maker }) => maker === firm) : letters;
    return dice.shuffle(among).slice(0, count);
  }
  if (of === 'any') {
    // Each maker as often as any other, as some have hundreds of documents.
    const makers = [...Map.groupBy([...real, ...(single ? [] : letters)], ({ maker }) => maker).values()];
    return dice
      .shuffle(makers.flatMap((each) => dice.shuffle(each).slice(0, MOST_OF_A_MAKER)))
      .slice(0, count);
  }
  const large = [...Map.groupBy(real, ({ maker }) => maker).values()].filter(({ length }) => length >= 3);
  return dice.shuffle(dice.pick(large)).slice(0, count);
}

async function makeBundle(
  { name, between, scanned, single }: Design,
  sources: readonly SplitSource[],
  dice: Dice,
  seed: number,
): Promise<Bundle> {
  const target = await PDFDocument.create();
  const begins: number[] = [];
  for (const { path } of sources) {
    const source = await PDFDocument.load(await readFile(path), { ignoreEncryption: true }).catch(
      () => undefined,
    );
    if (!source) continue;
    if (target.getPageCount() > 0) {
      await separate(target, between, dice);
      begins.push(target.getPageCount() + 1);
    }
    const most = single ? MOST_SINGLE_PAGES : dice.whole(1, MOST_PAGES);
    const count = Math.min(most, source.getPageCount());
    const pages = await target.copyPages(
      source,
      Array.from({ length: count }, (_, index) => index),
    );
    for (const page of pages) target.addPage(page);
  }
  const bytes = await target.save();
  if (!scanned) return { name, bytes, begins };
  const image = await scan(bytes, SCAN, seed, MOST_SCANNED_PAGES);
  return { name, bytes: image, begins: begins.filter((page) => page <= MOST_SCANNED_PAGES) };
}

async function separate(target: PDFDocument, between: Design['between'], dice: Dice): Promise<void> {
  if (between === 'blank' || (between === 'duplex' && target.getPageCount() % 2 === 1))
    target.addPage([...A4]);
  if (between !== 'barcode') return;
  const written = await writeBarcode(`SEP-${dice.whole(1000, 9999)}`, { format: 'Code128', scale: 4 });
  const png = await target.embedPng(await (written.image ?? new Blob([])).arrayBuffer());
  target.addPage([...A4]).drawImage(png, { x: 120, y: 380, width: 350, height: 90 });
}
