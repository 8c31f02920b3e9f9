import { boxAround, type Box } from './geometry.ts';
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

/** Finds label and value pairs, such as a letter's "Date: …"; fewer than two lines of them are text. */
export function keyValues(lines: readonly Line[]): KeyValueOrLines[] {
  const found: KeyValueOrLines[] = [];
  let at = 0;
  while (at < lines.length) {
    const block = pairsFrom(lines, at);
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

function pairsFrom(lines: readonly Line[], start: number) {
  const pairs: (KeyValue & { valueX: number })[] = [];
  let count = 0;
  let at = start;
  for (; at < lines.length; at++) {
    const line = lines[at] ?? [];
    const here = pairsOf(line);
    if (here) {
      if (count > 0 && isFar(lines[at - 1] ?? [], line)) break;
      pairs.push(...here);
      count += 1;
      continue;
    }
    const last = pairs.at(-1);
    const [part] = line;
    // The rest of a value stands below its beginning.
    const goesOn = last && part && line.length === 1 && Math.abs(part.x0 - last.valueX) < part.size * 0.5;
    if (!goesOn || isFar(lines[at - 1] ?? [], line) || part.x0 - last.box.x0 < part.size) break;
    last.value += ` ${part.text}`;
    last.box = boxAround([last.box, part]);
  }
  return { pairs, lines: count, end: at };
}

function isFar(before: Line, line: Line): boolean {
  const [one, other] = [before[0], line[0]];
  return !one || !other || other.baseline - one.baseline > 2.6 * Math.max(one.size, other.size);
}

/** All pairs of a line, if it has nothing else. */
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
