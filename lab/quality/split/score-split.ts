import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createProcessPool } from '../../../engines/hosts/process-pool.ts';
import { createDocumentReader } from '../../../engines/document-reader/create-document-reader.ts';
import { signsOfPages } from '../../../engines/text-work/split/page-signs.ts';
import { proposeParts } from '../../../engines/text-work/split/propose-parts.ts';
import { createPageViewer } from '../../../services/splits/plan-split.ts';
import type { Half } from '../half.ts';
import type { Darkroom } from '../systems/darkroom.ts';
import { makeBundles } from './bundles.ts';

/**
 * Divides bundles by rules and compares where documents begin with where they do.
 *
 * @returns a line for each bundle, most errors first, and the sum
 */
export async function scoreSplit(
  half: Half,
  { darkroom, folder, only, stop }: { darkroom: Darkroom; folder: string; only: string; stop: AbortSignal },
): Promise<string> {
  const reader = createDocumentReader({ createPool: createProcessPool, slots: 1 });
  const scores: { name: string; right: number; wrong: string[]; missed: number[]; begins: number }[] = [];
  try {
    const bundles = (await makeBundles(half)).filter(({ name }) => name.includes(only));
    for (const [at, { name, bytes, begins }] of bundles.entries()) {
      stop.throwIfAborted();
      const path = join(folder, `bundle-${at}.pdf`);
      await writeFile(path, bytes);
      const document = { name, group: 'text layer', type: 'pdf', bytes, truth: [] } as const;
      const pages = await darkroom.pages({ ...document, truth: [] }, path);
      const source = { path, type: 'pdf', tenantId: 'quality' } as const;
      const see = createPageViewer({ reader, source, signal: stop });
      const read = pages.map(({ pageNumber, elements }) => ({ pageNumber, elements, isRead: true }));
      const { parts } = proposeParts(signsOfPages(await see(read)));
      const found = parts.slice(1);
      scores.push({
        name: `${name}, ${pages.length} pages`,
        right: found.filter(({ first }) => begins.includes(first)).length,
        wrong: found
          .filter(({ first }) => !begins.includes(first))
          .map(({ first, reasons, confidence }) => `${first} (${reasons.join(', ')}; ${confidence})`),
        missed: begins.filter((page) => !found.some(({ first }) => first === page)),
        begins: begins.length,
      });
    }
  } finally {
    await reader.close();
  }
  return report(half, scores);
}

function report(
  half: Half,
  scores: readonly { name: string; right: number; wrong: string[]; missed: number[]; begins: number }[],
): string {
  const errors = ({ wrong, missed }: (typeof scores)[number]) => wrong.length * 10 + missed.length;
  const sum = (of: (score: (typeof scores)[number]) => number) =>
    scores.reduce((all, score) => all + of(score), 0);
  const [right, wrong, begins] = [sum((s) => s.right), sum((s) => s.wrong.length), sum((s) => s.begins)];
  return [
    `Documents in bundles, ${half}`.padEnd(44) + 'right  wrong  missed',
    ...scores
      .toSorted((one, other) => errors(other) - errors(one))
      .map(
        (score) =>
          `${score.name.padEnd(44)}${String(score.right).padStart(5)}${String(score.wrong.length).padStart(7)}${String(score.missed.length).padStart(8)}` +
          // What the held-out half gets wrong is not shown, so that nobody works on it.
          (half === 'development'
            ? `  wrong: ${score.wrong.join(' ')} missed: ${score.missed.join(' ')}`
            : ''),
      ),
    `precision ${(right / Math.max(1, right + wrong)).toFixed(3)}, recall ${(right / Math.max(1, begins)).toFixed(3)}, ${begins} beginnings in ${scores.length} bundles`,
  ].join('\n');
}
