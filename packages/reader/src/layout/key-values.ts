import { type Box, boxAround, greatest } from './geometry.ts';
import type { Line, Segment } from './page-parts.ts';

export interface KeyValue {
  key: string;
  value: string;
  box: Box;
}
export type KeyValueOrLines = { kind: 'pair'; pair: KeyValue } | { kind: 'lines'; lines: Line[] };

const LABEL = String.raw`[\p{L}\p{N}#][^:.;!?]{0,38}[\p{L}\p{N})#°%.]|\p{L}`;
const PAIR = new RegExp(`^(${LABEL})\\s?:\\s+(\\S.*)$`, 'u');
const KEY = new RegExp(`^(${LABEL})\\s?:$`, 'u');
const MOST_WORDS = 5;

/** The label and value of a line of text that has the form of a pair. */
export function pairOf(text: string): { key: string; value: string } | undefined {
  const [, key, value] = PAIR.exec(text) ?? [];
  return key !== undefined && value !== undefined && isLabel(key) ? { key, value } : undefined;
}

/** Finds label and value pairs, such as a letter's "Date: …"; a single pair is treated as text. */
export function keyValues(lines: readonly Line[]): KeyValueOrLines[] {
  const found: KeyValueOrLines[] = [];
  const right = greatest(lines.flatMap((line) => line.map(({ x1 }) => x1)));
  let at = 0;
  while (at < lines.length) {
    const block = pairsFrom(lines, at, right);
    if (block.lines >= 2) {
      found.push(...block.pairs.map((pair): KeyValueOrLines => ({ kind: 'pair', pair })));
      at = block.end;
    } else {
      const last = found.at(-1);
      const line = lines[at] ?? [];
      if (last?.kind === 'lines') last.lines.push(line);
      else found.push({ kind: 'lines', lines: [line] });
      at += 1;
    }
  }
  return found;
}

function pairsFrom(lines: readonly Line[], start: number, right: number) {
  const pairs: (KeyValue & { valueX: number })[] = [];
  let count = 0;
  let at = start;
  let last = { at: start, before: 0 };
  for (; at < lines.length; at++) {
    const line = lines[at] ?? [];
    const here = pairsOf(line);
    if (here) {
      if (count > 0 && isFar(lines[at - 1] ?? [], line)) break;
      last = { at, before: pairs.length };
      pairs.push(...here);
      count += 1;
      continue;
    }
    const pair = pairs.at(-1);
    const [part] = line;
    // A value continues below its beginning.
    const goesOn = pair && part && line.length === 1 && Math.abs(part.x0 - pair.valueX) < part.size * 0.5;
    if (!goesOn || isFar(lines[at - 1] ?? [], line) || part.x0 - pair.box.x0 < part.size) break;
    pair.value += ` ${part.text}`;
    pair.box = boxAround([pair.box, part]);
  }
  if (count > 0 && isProse(lines[last.at] ?? [], lines[last.at + 1], right))
    return { pairs: pairs.slice(0, last.before), lines: count - 1, end: last.at };
  return { pairs, lines: count, end: at };
}

/** Whether a line fills its column and the next one continues at its start: a sentence with a colon. */
function isProse(line: Line, next: Line | undefined, right: number): boolean {
  const [first, end, below] = [line[0], line.at(-1), next?.[0]];
  if (!first || !end || !next || !below || isFar(line, next)) return false;
  const { size } = first;
  return right - end.x1 < size * 4 && below.x0 < first.x0 + size / 2 && pairsOf(next) === undefined;
}

function isFar(before: Line, line: Line): boolean {
  const [one, other] = [before[0], line[0]];
  return !one || !other || other.baseline - one.baseline > 2.6 * Math.max(one.size, other.size);
}

/** All pairs of a line that contains nothing else. */
function pairsOf(line: Line): (KeyValue & { valueX: number })[] | undefined {
  const pairs: (KeyValue & { valueX: number })[] = [];
  let key: { text: string; part: Segment } | undefined;
  for (const part of line) {
    if (part.rightToLeft) return undefined;
    if (key) {
      pairs.push({ key: key.text, value: part.text, box: boxAround([key.part, part]), valueX: part.x0 });
      key = undefined;
      continue;
    }
    const pair = pairOf(part.text);
    const [, alone] = KEY.exec(part.text) ?? [];
    if (pair) pairs.push({ ...pair, box: boxAround([part]), valueX: valueStart(part) });
    else if (alone !== undefined && isLabel(alone)) key = { text: alone, part };
    else return undefined;
  }
  return key || pairs.length === 0 ? undefined : pairs;
}

const isLabel = (text: string): boolean => text.split(/\s+/).length <= MOST_WORDS && !/^\d+$/.test(text);

function valueStart(part: Segment): number {
  const colon = part.runs.findIndex(({ text }) => text.trimEnd().endsWith(':'));
  return part.runs[colon + 1]?.x0 ?? part.x0;
}
