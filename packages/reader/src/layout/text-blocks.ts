/** Divides the lines of a column into blocks: paragraphs, headings, list items. */
import { boxAround, median, type Box } from './geometry.ts';
import { numberDepth } from './headings.ts';
import { joinLines } from './plain-text.ts';
import { BULLET, isContentsLine, listMarker } from './list-marker.ts';
import type { Segment } from './page-parts.ts';

export interface TextBlock {
  lines: readonly Segment[];
  text: string;
  box: Box;
  size: number;
  bold: boolean;
  monospaced: boolean;
  rightToLeft: boolean;
  /** The page column that contains it. */
  column: Box;
}

/** A line distance above the usual one by this factor starts a block. */
const WIDER_STEP = 1.28;
const SAME_SIZE = 0.08;

/** A column of text. */
export interface TextColumn {
  box: Box;
  /** Usual line distance of a paragraph, in heights of its font. */
  leading: number;
}

export const measureColumn = (lines: readonly Segment[]): TextColumn => ({
  box: boxAround(lines),
  leading: usualLeading(lines),
});

interface BlockOptions {
  /** The column that the lines are a part of; by default, they are all of it. */
  column?: TextColumn;
  sizeTolerance?: number;
  /** The title of which a line is known to be a part: its lines are a block. */
  titleOf?: (line: Segment) => unknown;
}

/**
 * Joins lines to blocks.
 *
 * @param lines of one column that follow each other
 */
export function textBlocks(
  lines: readonly Segment[],
  { column: measured, sizeTolerance = SAME_SIZE, titleOf = () => undefined }: BlockOptions = {},
): TextBlock[] {
  if (lines.length === 0) return [];
  const { box: column, leading } = measured ?? measureColumn(lines);
  const groups: Segment[][] = [];
  for (const line of lines) {
    const group = groups.at(-1);
    const [title, before] = [titleOf(line), group?.at(-1)];
    const belongs = before !== undefined && titleOf(before) === title;
    if (group && belongs && (title !== undefined || continues(group, line, column, leading, sizeTolerance)))
      group.push(line);
    else groups.push([line]);
  }
  return groups.map((group) => makeBlock(group, column));
}

export function makeBlock(lines: readonly Segment[], column: Box): TextBlock {
  const longest = lines.reduce((best, line) => (line.text.length > best.text.length ? line : best));
  return {
    lines,
    text: joinLines(lines.map(({ text }) => text)),
    box: boxAround(lines),
    size: median(lines.map(({ size }) => size)),
    bold: lines.every(({ bold }) => bold),
    monospaced: lines.every(({ monospaced }) => monospaced),
    rightToLeft: longest.rightToLeft,
    column,
  };
}

function usualLeading(lines: readonly Segment[]): number {
  const steps = lines.slice(1).flatMap((line, index) => {
    const before = lines[index];
    if (!before || Math.abs(line.size - before.size) > SAME_SIZE * line.size) return [];
    const step = (line.baseline - before.baseline) / line.size;
    return step > 0.8 && step < 3 ? [step] : [];
  });
  if (steps.length === 0) return 1.25;
  // Blocks of one line, as in lists, have wider gaps; the lower quartile is that of lines.
  const sorted = steps.toSorted((a, b) => a - b);
  return Math.min(sorted[Math.floor(sorted.length * 0.3)] ?? 1.25, 2.2);
}

function continues(
  group: readonly Segment[],
  line: Segment,
  column: Box,
  leading: number,
  sizeTolerance: number,
): boolean {
  const before = group.at(-1);
  const [first] = group;
  if (!before || !first) return false;
  const size = Math.max(line.size, before.size);
  if (Math.abs(line.size - before.size) > sizeTolerance * size) return false;
  if (line.bold !== before.bold && (line.text.length > 3 || line.bold) && !endsLater(before, line, column))
    return false;
  if (before === first && isTitleAbove(before, line, column)) return false;
  const step = line.baseline - before.baseline;
  if (step <= 0 || step > WIDER_STEP * leading * size) return false;
  const begins = listMarker(line.text) !== undefined && !isWithinSentence(first, before, line, column);
  if (begins || isContentsLine(before.text)) return false;
  return !beginsParagraph(first, before, line, column);
}

/** A line that leaves less room, in heights of its font, may be full. */
const SHORT = 4;
const isInCapitals = ({ text }: Segment): boolean =>
  text === text.toUpperCase() && /\p{Lu}{3}/u.test(text) && /\s\p{L}/u.test(text);

/** Whether a short line is set or numbered like a title, and text begins below it. */
function isTitleAbove(before: Segment, line: Segment, column: Box): boolean {
  const room = line.rightToLeft ? before.x0 - column.x0 : column.x1 - before.x1;
  if (room < SHORT * before.size || /[.!?:;,]$/.test(before.text) || !/^[\p{Lu}\p{Lo}]/u.test(line.text))
    return false;
  return (
    (before.italic && !line.italic) ||
    (isInCapitals(before) && !isInCapitals(line)) ||
    (numberDepth(before.text) > 1 && numberDepth(line.text) === 0)
  );
}

/** Whether a line is full and the next goes on with its sentence, though one of them is bold. */
const endsLater = (before: Segment, line: Segment, column: Box): boolean =>
  /^[\p{Ll}(]/u.test(line.text) && !/[.!?:]$/.test(before.text) && column.x1 - before.x1 < 3 * line.size;

/** Whether a line only happens to begin with a dash, or with the number of a date: the one above is full and goes on. */
function isWithinSentence(first: Segment, before: Segment, line: Segment, column: Box): boolean {
  const room = line.rightToLeft ? before.x0 - column.x0 : column.x1 - before.x1;
  return (
    listMarker(first.text) === undefined &&
    !BULLET.test(line.text) &&
    room < 2 * line.size &&
    Math.abs(line.x0 - before.x0) < line.size / 2 &&
    /[\p{L}\p{N}]$/u.test(before.text)
  );
}

/** Decides by the indent of a first line, or by the space that the last line left. */
function beginsParagraph(first: Segment, before: Segment, line: Segment, column: Box): boolean {
  const { size } = line;
  const indent = (part: Segment): number => (line.rightToLeft ? column.x1 - part.x1 : part.x0 - column.x0);
  const room = line.rightToLeft ? before.x0 - column.x0 : column.x1 - before.x1;
  const ended = /[.!?:]["'”’»)\]]*$/.test(before.text);
  const isList = listMarker(first.text) !== undefined;
  if (isList) return indent(line) < indent(first) + size * 0.3 && ended && room > size * 4;
  const width = column.x1 - column.x0;
  const indented = indent(line) > indent(before) + size * 0.8 && indent(line) < size * 5;
  if (indented && (ended || room < size * 2) && before !== first) return true;
  if (indented && ended && before === first) return true;
  const firstWord = /^\S+/.exec(line.text)?.[0].length ?? 1;
  return (
    ended &&
    room > Math.max(width * 0.12, firstWord * size * 0.6) &&
    /^[\p{Lu}\p{N}"'“‘«([¿¡]|^\p{Lo}/u.test(line.text)
  );
}
