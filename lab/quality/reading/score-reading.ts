import { readConfig } from '../../../domain/schemas/read-config.ts';
import { greyImage } from '../../../engines/image-decoder/render-view.ts';
import { onnxConfig } from '../../../engines/onnx/config.ts';
import { createPpocrRecogniser, findTextModels } from '../../../engines/text-recogniser/ppocr-recogniser.ts';
import { createTesseractRecogniser } from '../../../engines/text-recogniser/tesseract-recogniser.ts';
import type { TextRecogniser } from '../../../engines/text-recogniser/text-recogniser.ts';
import { DETECTION, RECOGNITION } from '../../../services/images/read-text.ts';
import { characterErrors, type Matches } from '../metrics.ts';
import { bagMatches, wordsOf } from '../real/real-scores.ts';
import type { MeasureOptions } from '../real/score-pictures.ts';
import { picturesOfText, type PictureOfText } from './make-pictures.ts';

/** Held-out pictures after which the sums so far are shown: a run may be ended early. */
const SUMMED = 10;

interface ReadPicture extends Matches {
  kind: string;
  name: string;
  errors: number;
  characters: number;
  missed: string[];
  invented: string[];
}

interface ReadingOptions extends MeasureOptions {
  /** Part of the names of pictures. */
  only: string;
  /** Without Tesseract. */
  alone: boolean;
}

/**
 * Reads made photographs, scans and screenshots of known text as the service reads images, and with Tesseract alone.
 *
 * @returns a table by kind, worst first; of development pictures also the words that were missed
 * @throws Error without the models
 */
export async function scoreReading(
  half: 'development' | 'held-out',
  { only, alone, env, stop, progress }: ReadingOptions,
): Promise<string> {
  const config = readConfig([onnxConfig], env);
  if (!findTextModels(config)) throw new Error('the models of text are missing: run npm run models');
  const languages = ['eng'];
  const fallback = createTesseractRecogniser({ languages, slots: 1 });
  const tesseract = createTesseractRecogniser({ languages, slots: 1 });
  const ppocr = createPpocrRecogniser({
    languages,
    slots: 1,
    models: () => findTextModels(config),
    fallback,
  });
  const [ours, theirs]: ReadPicture[][] = [[], []];
  try {
    for await (const picture of picturesOfText(half)) {
      if (!picture.name.includes(only)) continue;
      const own = await read(ppocr, picture, stop);
      ours?.push(own);
      // Nobody looks at single ones of the other half.
      progress(
        half === 'held-out'
          ? `${ours?.length} read, the last of kind ${picture.kind}`
          : `${picture.name}: ${own.matched} of ${own.expected} words, ${own.invented.length} false`,
      );
      if (half === 'held-out' && (ours?.length ?? 0) % SUMMED === 0) progress(row('so far', ours ?? [], []));
      if (!alone) theirs?.push(await read(tesseract, picture, stop));
    }
  } finally {
    await Promise.all([ppocr.close(), tesseract.close()]);
  }
  return report(ours ?? [], theirs ?? [], half === 'development');
}

async function read(
  recogniser: TextRecogniser,
  { kind, name, bytes, lines }: PictureOfText,
  signal: AbortSignal,
): Promise<ReadPicture> {
  const options = { tenantId: 'quality', signal };
  const isThere = await recogniser.hasText(await greyImage(bytes, DETECTION), options);
  const regions = isThere ? await recogniser.read(await greyImage(bytes, RECOGNITION), options) : [];
  const found = regions.map(({ text }) => text).join('\n');
  const [expected, words] = [wordsOf(lines.join('\n')), wordsOf(found)];
  return {
    kind,
    name,
    ...bagMatches(expected, words),
    ...characterErrors(lines.join('\n'), found),
    missed: without(expected, words),
    invented: without(words, expected),
  };
}

function without(words: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return words.filter((word) => {
    const at = left.indexOf(word);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function report(ours: readonly ReadPicture[], theirs: readonly ReadPicture[], shown: boolean): string {
  const rows = [...Map.groupBy(ours, ({ kind }) => kind)]
    .toSorted(([, one], [, other]) => sumsOf(one).recall - sumsOf(other).recall)
    .map(([kind, pictures]) =>
      row(
        kind,
        pictures,
        theirs.filter((each) => each.kind === kind),
      ),
    );
  const worst = ours
    .filter(({ missed, invented }) => missed.length + invented.length > 0)
    .toSorted((one, other) => sumsOf([one]).recall - sumsOf([other]).recall)
    .map(
      ({ name, missed, invented }) => `  ${name}: missed ${missed.join(' ')}; invented ${invented.join(' ')}`,
    );
  return [
    `${''.padEnd(24)}words   false     CER   Tesseract: words   false     CER`,
    ...rows,
    row('all', ours, theirs),
    'Goals: words ≥ .93, false ≤ .02, CER of pages ≤ half of that of Tesseract',
    ...(shown ? worst : []),
  ].join('\n');
}

function row(title: string, ours: readonly ReadPicture[], theirs: readonly ReadPicture[]): string {
  const [own, other] = [sumsOf(ours), sumsOf(theirs)];
  const shown = [own.recall, own.false, own.cer].map((value) => value.toFixed(3).padStart(8));
  const peer = [other.recall, other.false, other.cer].map((value) => value.toFixed(3).padStart(8));
  return `${`${title} (${ours.length})`.padEnd(21)}${shown.join('')}${' '.repeat(11)}${peer.join('')}`;
}

function sumsOf(pictures: readonly ReadPicture[]) {
  const sum = (of: (picture: ReadPicture) => number) =>
    pictures.reduce((total, picture) => total + of(picture), 0);
  const matched = sum((picture) => picture.matched);
  const found = sum((picture) => picture.found);
  return {
    recall:
      matched /
      Math.max(
        1,
        sum(({ expected }) => expected),
      ),
    false: (found - matched) / Math.max(1, found),
    cer:
      sum(({ errors }) => errors) /
      Math.max(
        1,
        sum(({ characters }) => characters),
      ),
  };
}
