/**
 * Typesets PDF documents of known structure: lines, columns and pages are broken here, so that the ground truth is
 * known. The file is long because all kinds of blocks share and move one position on the page.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import fontkit from '@pdf-lib/fontkit';
import { degrees, PDFDocument, rgb, StandardFonts, type PDFFont, type PDFPage } from 'pdf-lib';
import type { TruthBlock } from '../truth.ts';

export interface Design {
  width: number;
  height: number;
  margin: number;
  columns: number;
  gutter: number;
  /** Names of standard fonts, or files of DejaVu. */
  regular: string;
  bold: string;
  size: number;
  /** Sizes of headings by level, relative to the text. */
  headings: readonly number[];
  boldHeadings: boolean;
  leading: number;
  justified: boolean;
  /** Indents the first line of a paragraph instead of leaving a gap between paragraphs. */
  indented: boolean;
  hyphenated: boolean;
  /** Running headers and footers; on fewer than four pages they would count as text. */
  running: boolean;
  /** Degrees, as stored in the page. */
  rotation: number;
  bullet: string;
  rightToLeft: boolean;
}

export const DESIGN: Design = {
  width: 595,
  height: 842,
  margin: 64,
  columns: 1,
  gutter: 20,
  regular: StandardFonts.Helvetica,
  bold: StandardFonts.HelveticaBold,
  size: 10.5,
  headings: [1.8, 1.4, 1.15],
  boldHeadings: true,
  leading: 1.3,
  justified: false,
  indented: false,
  hyphenated: false,
  running: false,
  rotation: 0,
  bullet: '•',
  rightToLeft: false,
};

export interface TableDesign {
  ruled: 'all' | 'none' | 'head';
  /** Column widths, as fractions of the total. */
  widths: readonly number[];
  numbers: boolean;
}

export interface Composer {
  heading(level: number, text: string): void;
  paragraph(text: string): void;
  list(items: { text: string; depth: number }[], ordered?: boolean): void;
  table(rows: string[][], design: TableDesign): void;
  pairs(pairs: [key: string, value: string][], aligned: boolean): void;
  figure(caption: string): void;
  pageCount(): number;
  finish(): Promise<{ bytes: Uint8Array; truth: TruthBlock[] }>;
}

const DEJAVU = join(dirname(createRequire(import.meta.url).resolve('dejavu-fonts-ttf/package.json')), 'ttf');

export async function createComposer(
  design: Design,
  runningTitle = 'Annual report of the survey',
): Promise<Composer> {
  const pdf = await PDFDocument.create();
  pdf.registerFontkit(fontkit);
  const embed = (name: string): Promise<PDFFont> =>
    name.endsWith('.ttf')
      ? pdf.embedFont(readFileSync(join(DEJAVU, name)), { subset: true })
      : pdf.embedFont(name);
  const [regular, bold] = [await embed(design.regular), await embed(design.bold)];
  const truth: TruthBlock[] = [];
  const { margin, gutter, columns, size } = design;
  const columnWidth = (design.width - 2 * margin - (columns - 1) * gutter) / columns;
  let page: PDFPage;
  let pageCount = 0;
  let column = 0;
  let top = design.height - margin;
  let y = top;
  newPage();

  function newPage(): void {
    page = pdf.addPage([design.width, design.height]);
    page.setRotation(degrees(design.rotation));
    pageCount += 1;
    column = 0;
    top = design.height - margin;
    y = top;
    if (!design.running) return;
    page.drawText(runningTitle, { x: margin, y: design.height - 36, size: size * 0.8, font: regular });
    const footer = `Page ${pageCount}`;
    page.drawText(footer, { x: design.width / 2 - 16, y: 28, size: size * 0.8, font: regular });
  }
  const left = (): number => {
    const at = design.rightToLeft ? columns - 1 - column : column;
    return margin + at * (columnWidth + gutter);
  };
  function need(height: number): void {
    if (y - height >= margin) return;
    column += 1;
    y = top;
    if (column >= columns) newPage();
  }
  function draw(text: string, x: number, font: PDFFont, fontSize: number, width?: number): void {
    const natural = font.widthOfTextAtSize(text, fontSize);
    const words = text.split(' ');
    const extra = width === undefined || words.length < 4 ? 0 : (width - natural) / (words.length - 1);
    const spread = extra > 0 && extra <= fontSize * 0.45;
    // Not for right-to-left scripts: drawing a whole line would reverse its numbers.
    if (!spread && !design.rightToLeft) {
      page.drawText(text, { x, y: y - fontSize, size: fontSize, font });
      return;
    }
    let at = spread ? x : x + (width ?? columnWidth) - natural;
    for (const word of design.rightToLeft ? words.toReversed() : words) {
      let within = at;
      for (const part of design.rightToLeft ? partsFromLeft(word) : [word]) {
        page.drawText(part, { x: within, y: y - fontSize, size: fontSize, font });
        within += font.widthOfTextAtSize(part, fontSize);
      }
      at += font.widthOfTextAtSize(`${word} `, fontSize) + (spread ? extra : 0);
    }
  }
  /** Breaks a text into lines of at most `width`; the first is shorter by `indent`. */
  function wrap(text: string, font: PDFFont, fontSize: number, width: number, indent = 0): string[] {
    const lines: string[] = [];
    let line = '';
    const room = (): number => width - (lines.length === 0 ? indent : 0);
    for (const word of text.split(' ')) {
      const longer = line === '' ? word : `${line} ${word}`;
      if (font.widthOfTextAtSize(longer, fontSize) <= room()) {
        line = longer;
        continue;
      }
      const cut = design.hyphenated && /^\p{Ll}{8,}/u.test(word) ? Math.floor(word.length / 2) : 0;
      const part = `${line} ${word.slice(0, cut)}-`;
      if (cut > 0 && font.widthOfTextAtSize(part, fontSize) <= room()) {
        lines.push(part);
        line = word.slice(cut);
      } else {
        lines.push(line);
        line = word;
      }
    }
    return [...lines, line];
  }
  function drawLines(
    lines: readonly string[],
    font: PDFFont,
    fontSize: number,
    x: number,
    width: number,
    indent = 0,
  ): void {
    for (const [index, line] of lines.entries()) {
      need(fontSize * design.leading);
      const shift = index === 0 ? indent : 0;
      const justify = (design.justified && index < lines.length - 1) || design.rightToLeft;
      draw(line, left() + x + shift, font, fontSize, justify ? width - shift : undefined);
      y -= fontSize * design.leading;
    }
  }

  return {
    heading(level, text) {
      const fontSize = size * (design.headings[level - 1] ?? 1);
      const font = design.boldHeadings ? bold : regular;
      const first = pageCount === 1 && y === top && level === 1;
      // The title spans all columns.
      const width = first ? design.width - 2 * margin : columnWidth;
      const lines = wrap(text, font, fontSize, width);
      need(fontSize * design.leading * lines.length + size * 4);
      if (y < top) y -= size * 0.9;
      drawLines(lines, font, fontSize, first ? margin - left() : 0, width);
      y -= size * 0.5;
      if (first) top = y;
      truth.push({ type: 'heading', text, level });
    },
    paragraph(text) {
      const indent = design.indented ? size * 1.6 : 0;
      drawLines(wrap(text, regular, size, columnWidth, indent), regular, size, 0, columnWidth, indent);
      if (!design.indented) y -= size * 0.7;
      truth.push({ type: 'paragraph', text });
    },
    list(items, ordered = false) {
      const counts: number[] = [];
      for (const { text, depth } of items) {
        counts.length = Math.min(counts.length, depth + 1);
        counts[depth] = (counts[depth] ?? 0) + 1;
        const marker = ordered ? `${counts[depth]}.` : design.bullet;
        const x = size * (0.8 + depth * 1.8);
        const lines = wrap(text, regular, size, columnWidth - x - size * 1.6);
        need(size * design.leading * lines.length);
        const markerX = design.rightToLeft ? columnWidth - x - size * 0.5 : x;
        page.drawText(marker, { x: left() + markerX, y: y - size, size, font: regular });
        if (design.rightToLeft) drawLines(lines, regular, size, 0, columnWidth - x - size * 1.6);
        else drawLines(lines, regular, size, x + size * 1.6, columnWidth);
      }
      y -= size * 0.7;
      truth.push({ type: 'list', items });
    },
    table(rows, { ruled, widths, numbers }) {
      const total = widths.reduce((sum, part) => sum + part, 0);
      const spans = widths.map((part) => (part / total) * columnWidth);
      const pad = 4;
      const laid = rows.map((row, index) =>
        row.map((cell, at) =>
          wrap(
            cell,
            index === 0 ? bold : regular,
            size,
            (spans[at] ?? 0) - 2 * pad - (ruled === 'all' ? 0 : size),
          ),
        ),
      );
      const heights = laid.map((row) => Math.max(...row.map((lines) => lines.length)) * size * 1.2 + 2 * pad);
      need(
        Math.min(
          heights.reduce((sum, height) => sum + height, 0),
          design.height - 2 * margin,
        ),
      );
      const x = left();
      const line = (y1: number): void =>
        page.drawLine({ start: { x, y: y1 }, end: { x: x + columnWidth, y: y1 }, thickness: 0.7 });
      const start = y;
      if (ruled !== 'none') line(y);
      for (const [index, row] of laid.entries()) {
        let at = x;
        for (const [column, lines] of row.entries()) {
          const font = index === 0 ? bold : regular;
          const span = spans[column] ?? 0;
          for (const [number, text] of lines.entries()) {
            const right = numbers && column > 0 ? span - 2 * pad - font.widthOfTextAtSize(text, size) : 0;
            page.drawText(text, { x: at + pad + right, y: y - pad - size * (1 + number * 1.2), size, font });
          }
          at += span;
        }
        y -= heights[index] ?? 0;
        if (ruled === 'all' || (ruled === 'head' && (index === 0 || index === rows.length - 1))) line(y);
      }
      if (ruled === 'all') {
        let at = x;
        for (const span of [0, ...spans]) {
          at += span;
          page.drawLine({ start: { x: at, y: start }, end: { x: at, y }, thickness: 0.7 });
        }
      }
      y -= size * 1.2;
      truth.push({ type: 'table', rows });
    },
    pairs(pairs, aligned) {
      for (const [key, value] of pairs) {
        need(size * design.leading);
        page.drawText(`${key}:`, { x: left(), y: y - size, size, font: bold });
        const after = aligned ? size * 11 : bold.widthOfTextAtSize(`${key}: `, size);
        page.drawText(value, { x: left() + after, y: y - size, size, font: regular });
        y -= size * design.leading * 1.1;
        truth.push({ type: 'pair', key, value });
      }
      y -= size * 0.7;
    },
    figure(caption) {
      const height = columnWidth * 0.5;
      need(height + size * 4);
      drawImage(page, left(), y - height, columnWidth * 0.8, height);
      y -= height + size * 0.5;
      drawLines(wrap(caption, regular, size * 0.9, columnWidth), regular, size * 0.9, 0, columnWidth);
      y -= size;
      truth.push({ type: 'caption', text: caption });
    },
    pageCount: () => pageCount,
    finish: async () => ({ bytes: await pdf.save(), truth }),
  };
}

const MIRRORED: Readonly<Record<string, string>> = { '«': '»', '»': '«', '(': ')', ')': '(' };

/**
 * Splits a word of a right-to-left script into parts to draw from the left: numbers keep their direction, brackets
 * are mirrored.
 */
function partsFromLeft(word: string): string[] {
  const parts = word.match(/\d+(?:[.,]\d+)*|\D+/gu) ?? [];
  return parts.map((part) => part.replaceAll(/[«»()]/g, (mark) => MIRRORED[mark] ?? mark)).toReversed();
}

/** Draws coloured bands as vector graphics without text. */
function drawImage(page: PDFPage, x: number, y: number, width: number, height: number): void {
  for (let band = 0; band < 8; band++)
    page.drawEllipse({
      x: x + (width * (band + 0.5)) / 8,
      y: y + height / 2,
      xScale: width / 18,
      yScale: (height / 2) * (0.3 + (band % 4) / 5),
      color: rgb(0.4 + band / 16, 0.6, 0.9 - band / 12),
    });
}
