import { randomUUID } from 'node:crypto';
import { handbookPdf } from '../bench/handbook-pdf.ts';
import { largePhotographs, smallPhotographs } from '../bench/session-files.ts';
import type { NamedFile } from '../noisy/hostile-files.ts';
import { scan } from '../quality/generate/scan.ts';

/** Files of one kind, all different. The first ones are for the warm-up. */
export interface Workload {
  title: string;
  /** Images or pages in the files that are measured. */
  units: number;
  files: NamedFile[];
}

/** Of a document with a text layer. */
export const PAGES_A_DOCUMENT = 10;
/** Of a scanned document. */
export const PAGES_A_SCAN = 2;
/** The quality of an office scanner. */
const SCAN = { dpi: 200, skew: 0, noise: 4, blur: 0 };

/**
 * Makes the files of all workloads.
 *
 * @param counts measured files of each kind; of none of a kind, there is no workload
 * @param warmUp files of each kind that are not measured
 */
export async function makeWorkloads(
  counts: { images: number; documents: number; scans: number },
  warmUp: number,
): Promise<Workload[]> {
  const numbers = (count: number) => Array.from({ length: count + warmUp }, (_, number) => number);
  const images = (photographs: Buffer[], kind: string) =>
    numbers(counts.images).map((number) => {
      // Readers ignore data after the end of a JPEG.
      const bytes = Buffer.concat([
        photographs[number % photographs.length] as Buffer,
        Buffer.from(randomUUID()),
      ]);
      return { name: `${kind}-${number}.jpg`, kind, bytes };
    });
  const documents = [];
  for (const seed of counts.documents > 0 ? numbers(counts.documents) : []) {
    const bytes = Buffer.from(await handbookPdf(PAGES_A_DOCUMENT, seed + 1));
    documents.push({ name: `handbook-${seed}.pdf`, kind: 'document', bytes });
  }
  const scans = [];
  for (const seed of counts.scans > 0 ? numbers(counts.scans) : []) {
    const handbook = await handbookPdf(PAGES_A_SCAN, seed + 1_001);
    const bytes = Buffer.from(await scan(handbook, SCAN, seed + 1, PAGES_A_SCAN));
    scans.push({ name: `scan-${seed}.pdf`, kind: 'scan', bytes });
  }
  return [
    { title: 'image of 0.2 MP', units: counts.images, files: images(await smallPhotographs(), 'small') },
    { title: 'image of 6 MP', units: counts.images, files: images(await largePhotographs(), 'large') },
    { title: 'page with text', units: counts.documents * PAGES_A_DOCUMENT, files: documents },
    { title: 'scanned page', units: counts.scans * PAGES_A_SCAN, files: scans },
  ].filter(({ units }) => units > 0);
}
