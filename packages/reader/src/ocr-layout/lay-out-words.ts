import { withCaptions } from '../layout/captions.ts';
import { plainText } from '../document/element.ts';
import { detectLanguage } from '../language.ts';
import type { PageRaster, PageWithLines, RecognisedWord } from '../opened-document.ts';
import { layOutPage } from '../layout/lay-out-page.ts';
import { layoutConfidence } from '../layout/layout-confidence.ts';
import { pageLines } from '../layout/page-lines.ts';
import { type Box, median, overlapY } from '../layout/geometry.ts';
import type { Run } from '../layout/page-parts.ts';
import { turnElement } from '../layout/present-part.ts';
import type { TextBlock } from '../layout/text-blocks.ts';
import { toRows } from '../layout/segments.ts';
import { columnsOfBlocks } from './columns-of-blocks.ts';
import { baselineOf, fontSize, learnLetterWidths, strokeWidth } from './font-measures.ts';
import { pageProfile } from '../layout/profile.ts';
import { markMonospaced } from './mark-monospaced.ts';
import { rulesOfRaster } from './rules-of-raster.ts';
import { estimateSlope, isRightToLeft } from './straighten.ts';

/** Minimum confidence of a word; below it are specks, lines and images. */
const CREDIBLE = 35;
/** Minimum for marks without a letter or digit. */
const CREDIBLE_MARK = 65;
/** Minimum for words between others of a line. */
const CREDIBLE_INSIDE = 15;
/** Boxes higher than those of both neighbours by this factor reach into another line. */
const TOO_HIGH = 1.8;
/** Strokes that are wider than the text's by this factor, relative to the letter size, are bold. */
const BOLD = 1.28;
const POINTS_PER_INCH = 72;
/** Measured sizes of one font differ by about this share. */
const SIZE_TOLERANCE = 0.12;

/** Structure of a page from its recognised words, by the rules for text layers, and the lines that it is made of. */
export function layOutWords(
  pageNumber: number,
  raster: PageRaster,
  words: readonly RecognisedWord[],
  profile: unknown,
): PageWithLines {
  const credible = words
    .filter((word, at) => isCredible(word) || isInside(word, words[at - 1], words[at + 1]))
    .map((word, at, all) => withinLine(word, all[at - 1], all[at + 1]));
  // Rules are made for points.
  const unit = POINTS_PER_INCH / raster.dpi;
  const slope = estimateSlope(credible);
  const arabic = credible.filter(({ text }) => ARABIC.test(text)).length * 2 > credible.length;
  const measured = markBold(
    credible
      .map((word) => toRun(raster, word, { slope, arabic, unit }))
      .map((run, at, all) => onItsLine(run, all[at - 1], all[at + 1])),
  );
  const relativeSize = learnLetterWidths(measured);
  const textSize = middleMean(measured.map(({ size }) => size));
  const runs = markMonospaced(
    evenLines(measured, (words, heights) => {
      const relative = relativeSize(words);
      const sizes = [median(heights), relative === undefined ? lowerQuartile(heights) : relative * textSize];
      return sizes.toSorted((a, b) => Math.abs(a - textSize) - Math.abs(b - textSize))[0] ?? textSize;
    }),
  );
  const fontSizeOf = ({ lines, size }: Pick<TextBlock, 'lines' | 'size'>): number => {
    const relative = relativeSize(lines.flatMap((line) => line.runs));
    return Math.round((relative === undefined ? size : relative * textSize) * 10) / 10;
  };
  const { turns } = raster;
  const [width, height] = [raster.width * unit, raster.height * unit];
  const rules = rulesOfRaster(raster).map((rule) => inPoints(rule, slope, unit));
  const page = { width, height, runs, rules, images: [], drawings: [] };
  const upright = layOutPage(page, {
    profile: pageProfile(profile, runs),
    pageNumber,
    sizeTolerance: SIZE_TOLERANCE,
    fontSizeOf,
    columns: columnsOfBlocks(runs),
  });
  const elements = withCaptions(upright.map((element) => turnElement(element, turns)));
  const language = detectLanguage(elements.map(plainText).join(' '));
  const confidence = layoutConfidence(upright, page);
  const lines = pageLines({ runs, width, height, turns }, (line) =>
    fontSizeOf({ lines: [line], size: line.size }),
  );
  return { pageNumber, source: 'ocr', language, elements, confidence, lines };
}

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

function isCredible({ text, confidence, x0, y0, x1, y1 }: RecognisedWord): boolean {
  if (x1 <= x0 || y1 <= y0 || text.trim() === '') return false;
  return confidence >= (LETTER_OR_DIGIT.test(text) ? CREDIBLE : CREDIBLE_MARK);
}

/** Bullets as misread in Arabic text. */
const BULLETS = /^[.·٠°*]$/u;
const ARABIC = /\p{Script=Arabic}/u;
const ARABIC_MARKS: Readonly<Record<string, string>> = { ',': '،', ';': '؛', '?': '؟' };

/**
 * Removes the direction marks that recognisers add, and restores Arabic punctuation misread as English.
 *
 * @param arabic whether most words of the page are Arabic
 */
function spell(text: string, arabic: boolean): string {
  const bare = text.replaceAll(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, '').trim();
  if (arabic && BULLETS.test(bare)) return '•';
  if (!ARABIC.test(bare)) return bare;
  return bare.replaceAll(/[,;?]$/g, (mark) => ARABIC_MARKS[mark] ?? mark);
}

/** Whether a doubtful word is between two others of its line: without it, the line would be split. */
function isInside(word: RecognisedWord, before?: RecognisedWord, after?: RecognisedWord): boolean {
  if (!before || !after || !/\p{L}/u.test(word.text) || word.confidence < CREDIBLE_INSIDE) return false;
  if (!isCredible(before) || !isCredible(after) || overlapY(before, after) <= 0) return false;
  const [left, right] = before.x0 < after.x0 ? [before, after] : [after, before];
  return word.x0 >= left.x1 && word.x1 <= right.x0 && overlapY(word, before) > 0;
}

/** The recogniser's boxes of some words also cover the next line. */
function withinLine(word: RecognisedWord, before?: RecognisedWord, after?: RecognisedWord): RecognisedWord {
  if (!before || !after) return word;
  const height = Math.max(before.y1 - before.y0, after.y1 - after.y0);
  if (word.y1 - word.y0 < height * TOO_HIGH || overlapY(before, after) <= 0) return word;
  return { ...word, y0: Math.min(before.y0, after.y0), y1: Math.max(before.y1, after.y1) };
}

interface MeasuredRun extends Run {
  /** Stroke width relative to the letter size. */
  weight: number;
}

/** A box of the image in points, of a page whose lines are turned level around its left edge. */
function inPoints({ x0, y0, x1, y1 }: Box, slope: number, unit: number): Box {
  const rise = slope * ((x0 + x1) / 2);
  return { x0: x0 * unit, y0: (y0 - rise) * unit, x1: x1 * unit, y1: (y1 - rise) * unit };
}

function toRun(
  raster: PageRaster,
  word: RecognisedWord,
  { slope, arabic, unit }: { slope: number; arabic: boolean; unit: number },
): MeasuredRun {
  const box = inPoints(word, slope, unit);
  const size = fontSize(word.text, box.y1 - box.y0);
  return {
    ...box,
    text: spell(word.text, arabic),
    baseline: baselineOf(word.text, box.y1, size),
    size,
    bold: false,
    italic: false,
    rightToLeft: isRightToLeft(word.text),
    recognised: true,
    spaceBefore: true,
    ...(word.block !== undefined && { block: word.block }),
    weight: (strokeWidth(raster, word) * unit) / size,
  };
}

/** Signs such as a dash do not reach the line that they stand on: it is that of the word beside them. */
function onItsLine(run: MeasuredRun, before?: MeasuredRun, after?: MeasuredRun): MeasuredRun {
  if (LETTER_OR_DIGIT.test(run.text)) return run;
  const beside = [before, after].find(
    (other) => other && LETTER_OR_DIGIT.test(other.text) && overlapY(other, run) > 0,
  );
  return beside ? { ...run, baseline: beside.baseline, size: beside.size } : run;
}

function markBold(runs: readonly MeasuredRun[]): MeasuredRun[] {
  const letters = runs.flatMap(({ weight, text }) =>
    Array.from({ length: Math.min(text.length, 12) }, () => weight),
  );
  const usual = median(letters);
  return runs.map((run) => ({ ...run, bold: run.weight > usual * BOLD && /\p{L}/u.test(run.text) }));
}

/** A wider gap, in heights of the font, is between two lines; in a block, justified words may be further apart. */
const GAP = 1.2;
const GAP_OF_BLOCK = 3;

/**
 * Gives all words of a line one size and one weight: measurements of single words are too rough.
 *
 * @param sizeOf the size class of words with letters of a height
 */
function evenLines(
  runs: readonly MeasuredRun[],
  sizeOf: (words: readonly MeasuredRun[], heights: readonly number[]) => number,
): Run[] {
  return toRows(runs).flatMap((row) => {
    const groups: MeasuredRun[][] = [];
    for (const run of row) {
      const last = groups.at(-1);
      const before = last?.at(-1);
      const gap = run.block !== undefined && run.block === before?.block ? GAP_OF_BLOCK : GAP;
      if (last && before && run.x0 - before.x1 < gap * Math.max(run.size, before.size)) last.push(run);
      else groups.push([run]);
    }
    return groups.flatMap((group) => {
      const heights = group.flatMap(({ size, text }) => Array.from({ length: text.length }, () => size));
      const size = sizeOf(group, heights);
      const boldLetters = group.reduce((sum, { bold, text }) => sum + (bold ? text.length : 0), 0);
      const bold = boldLetters * 2 > group.reduce((sum, { text }) => sum + text.length, 0);
      return group.map((run) => ({ ...run, size, bold }));
    });
  });
}

/** Robust to boxes that are too high: for unknown Arabic words, the recogniser returns the line's box. */
function lowerQuartile(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 2] ?? 0;
}

/** The mean of the middle half: finer than the median of heights, which are whole pixels. */
function middleMean(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.slice(sorted.length >> 2, Math.max(1, sorted.length - (sorted.length >> 2)));
  return middle.reduce((sum, value) => sum + value, 0) / Math.max(1, middle.length);
}
