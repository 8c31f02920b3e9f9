/** Notes at the foot of a column: small print below the text that begins with a mark. */
import { boxAround } from './geometry.ts';
import type { BodyStyle } from './headings.ts';
import type { Line, Segment } from './page-parts.ts';
import { joinLines } from './plain-text.ts';
import { makeSegment } from './segments.ts';
import { makeBlock, type TextBlock } from './text-blocks.ts';

/** Notes are smaller than the text by this factor. */
const SMALLER = 0.93;
/** A raised mark is smaller than its line by this factor. */
const RAISED = 0.85;
/** Notes begin below this share of the page's height. */
const LOWER_PART = 0.4;
/** The space above the first note, in heights of the font of the text. */
const SPACE_ABOVE = 1.3;
const MARK = String.raw`\d{1,3}|[*∗†‡§¶]{1,3}`;
const LONE_MARK = new RegExp(`^(?:${MARK}|[a-z])$`, 'u');
const MARKED = new RegExp(String.raw`^(${MARK})([.)]?)\s+(?=\S)`, 'u');
const SUPERSCRIPT = /[\u00B9\u00B2\u00B3\u2070\u2074-\u2079]/u;

interface Note {
  mark: string;
  lines: Segment[];
}

/** The lines of a column without the notes at its foot, and these. */
export function takeFootnotes(
  lines: readonly Line[],
  body: BodyStyle,
  pageHeight: number,
): { lines: readonly Line[]; notes: TextBlock[] } {
  const whole = lines.map((line) => makeSegment(line.flatMap(({ runs }) => runs)));
  const first = whole.findLastIndex(({ size }) => size > SMALLER * body.size) + 1;
  for (let at = Math.max(first, 1); at < whole.length; at++) {
    const [above, line] = [whole[at - 1], whole[at]];
    if (!above || !line || line.y0 < LOWER_PART * pageHeight) continue;
    const isHeading = above.bold || above.size > body.size / SMALLER;
    if (isHeading || line.baseline - above.baseline < SPACE_ABOVE * body.size) continue;
    const notes = notesOf(whole.slice(at), () => isCited(whole.slice(0, at), body));
    if (notes.length > 0) return { lines: lines.slice(0, at), notes: notes.map(toBlock) };
  }
  return { lines, notes: [] };
}

/** The notes, of which the first line begins one; none if it does not. */
function notesOf(lines: readonly Segment[], isCited: () => boolean): Note[] {
  const notes: Note[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [line, next] = [lines[at], lines[at + 1]];
    if (!line) break;
    const last = notes.at(-1);
    const begin = raisedMark(line, next) ?? writtenMark(line, isCited);
    if (begin && (!last || follows(last.mark, begin.mark))) {
      notes.push({ mark: begin.mark, lines: [begin.line] });
      if (begin.line === next) at += 1;
    } else if (last) last.lines.push(line);
    else return [];
  }
  return notes;
}

/** A mark above the baseline, which may be a line of its own. */
function raisedMark(line: Segment, next: Segment | undefined): { mark: string; line: Segment } | undefined {
  const [first, ...others] = line.runs;
  if (!first || !LONE_MARK.test(first.text)) return undefined;
  if (others.length > 0)
    return first.size < RAISED * line.size ? { mark: first.text, line: makeSegment(others) } : undefined;
  const isRaised =
    next && first.size < RAISED * next.size && next.baseline - first.baseline < RAISED * next.size;
  return isRaised ? { mark: first.text, line: next } : undefined;
}

/** A mark on the baseline; one like a list's only if the text has marks. */
function writtenMark(line: Segment, isCited: () => boolean): { mark: string; line: Segment } | undefined {
  const [all, mark = '', sign] = MARKED.exec(line.text) ?? [];
  if (all === undefined || line.monospaced || (sign !== '' && !isCited())) return undefined;
  return { mark, line: { ...line, text: line.text.slice(all.length) } };
}

function isCited(above: readonly Segment[], body: BodyStyle): boolean {
  return above.some(({ runs }) =>
    runs.some(
      ({ text, size }) => SUPERSCRIPT.test(text) || (size < RAISED * body.size && /^\d{1,3}$/.test(text)),
    ),
  );
}

const follows = (mark: string, next: string): boolean =>
  /^\d/.test(next) ? Number(next) === Number(mark) + 1 : mark !== next;

function toBlock({ mark, lines }: Note): TextBlock {
  return {
    ...makeBlock(lines, boxAround(lines)),
    text: `${mark} ${joinLines(lines.map(({ text }) => text))}`,
  };
}
