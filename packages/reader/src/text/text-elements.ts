/** The structure of plain text, by rules that apply only to unambiguous cases. */
import { tableOf } from '../flow/grid.ts';
import { type FlowElement, joinPairs } from '../flow/paginate.ts';
import { joinLines } from '../layout/plain-text.ts';
import { pairOf } from '../layout/key-values.ts';
import { listMarker } from '../layout/list-marker.ts';
import { numberDepth } from '../layout/headings.ts';

/** Lines and paragraphs are cut to this length, at a line end or a space if possible. */
const LONGEST = 20_000;
const LONGEST_HEADING = 80;

export function textElements(text: string): FlowElement[] {
  return joinPairs(text.split(/\n[ \t]*\n/).flatMap((block) => pieces(block).flatMap(blockElements)));
}

function pieces(block: string): string[] {
  if (block.length <= LONGEST) return [block];
  const parts: string[] = [];
  for (let at = 0; at < block.length;) {
    // Rows of a table stay whole.
    const [line, space] = ['\n', ' '].map((sign) => block.lastIndexOf(sign, at + LONGEST) + 1);
    const end = [line, space].find((cut = 0) => cut > at + LONGEST / 2) ?? at + LONGEST;
    parts.push(block.slice(at, end));
    at = end;
  }
  return parts;
}

function blockElements(block: string): FlowElement[] {
  const lines = block
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== '');
  const [first, second, ...rest] = lines;
  if (first === undefined) return [];
  const underlined = /^\s*(={3,}|-{3,}|~{3,})$/.exec(second ?? '')?.[1];
  if (underlined !== undefined && first.length <= LONGEST_HEADING && !first.includes('|')) {
    const heading: FlowElement = {
      type: 'heading',
      content: first.trim(),
      level: underlined.startsWith('=') ? 1 : 2,
    };
    return [heading, ...(rest.length > 0 ? blockElements(rest.join('\n')) : [])];
  }
  return [headingOf(lines) ?? drawnTable(lines) ?? listOf(lines) ?? undefined].flatMap((found) =>
    found ? [found] : paragraphs(lines),
  );
}

/** A heading on its own line: a number with several parts, or capitals only. */
function headingOf(lines: readonly string[]): FlowElement | undefined {
  const text = lines[0]?.trim() ?? '';
  if (
    lines.length !== 1 ||
    text.length > LONGEST_HEADING ||
    /[.,;:!?]$/.test(text) ||
    !/\p{L}{2}/u.test(text)
  )
    return undefined;
  const depth = numberDepth(text);
  if (depth > 0) return { type: 'heading', content: text, level: depth };
  const capitals = text === text.toUpperCase() && text !== text.toLowerCase();
  return capitals ? { type: 'heading', content: text, level: 1 } : undefined;
}

/** Lines with the same number of cells, separated by bars, tabs or wide gaps. */
function drawnTable(lines: readonly string[]): FlowElement | undefined {
  const drawn = lines.filter((line) => !/^[\s|+:=-]+$/.test(line));
  if (drawn.length < 2) return undefined;
  for (const divider of [/\|/, /\t+/, / {2,}/]) {
    const rows = drawn.map((line) =>
      line
        .trim()
        .replace(/^\|/, '')
        .replace(/\|$/, '')
        .trim()
        .split(divider)
        .map((cell) => cell.trim()),
    );
    const columns = rows[0]?.length ?? 0;
    const enough =
      String(divider) === String(/ {2,}/)
        ? (drawn.length >= 3 && columns >= 3) || areLabelled(drawn)
        : columns >= 2;
    if (
      enough &&
      rows.every((row) => row.length === columns) &&
      !rows.every(([cell = '']) => listMarker(`${cell} x`))
    )
      return tableOf(rows)[0];
  }
  return undefined;
}

/** Whether every other line has labels, and the one below it a value, with a number somewhere, where each label begins. */
function areLabelled(lines: readonly string[]): boolean {
  const [first = '', ...others] = lines;
  const places = (line: string): string =>
    [...line.matchAll(/\S+(?: \S+)*/g)].map(({ index }) => index).join(' ');
  const starts = places(first);
  return (
    lines.length % 2 === 0 &&
    starts.includes(' ') &&
    others.every((line) => places(line) === starts) &&
    lines.every((line, at) => /\d/.test(line) === (at % 2 === 1))
  );
}

function listOf(lines: readonly string[]): FlowElement | undefined {
  const items: { indent: number; marker: string; text: string }[] = [];
  for (const line of lines) {
    const indent = line.length - line.trimStart().length;
    const text = line.trim();
    const last = items.at(-1);
    const marker = listMarker(text);
    if (marker) items.push({ indent, marker: marker.sign, text: marker.rest });
    else if (last && indent > last.indent) last.text = joinLines([last.text, text]);
    else return undefined;
  }
  if (items.length < 2) return undefined;
  const indents = [...new Set(items.map(({ indent }) => indent))].toSorted((a, b) => a - b);
  return {
    type: 'list',
    items: items.map(({ indent, ...item }) => ({ ...item, depth: indents.indexOf(indent) })),
  };
}

/** Wrapped lines are joined; pairs and short lines, as in an address or a poem, stay separate. */
function paragraphs(lines: readonly string[]): FlowElement[] {
  const trimmed = lines.map((line) => line.trim());
  if (trimmed.length > 1 && trimmed.every((line) => pairOf(line)))
    return trimmed.map((content) => ({ type: 'paragraph', content }));
  const wrapped = trimmed.slice(0, -1).every((line) => line.length > 45);
  return [{ type: 'paragraph', content: wrapped ? joinLines(trimmed) : trimmed.join('\n') }];
}
