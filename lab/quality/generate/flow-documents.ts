/** Documents without a page layout: Word, Markdown and plain text. */
import {
  Document,
  HeadingLevel,
  LevelFormat,
  Packer,
  Paragraph,
  Table,
  TableCell,
  TableRow,
  TextRun,
  FootnoteReferenceRun,
} from 'docx';
import type { QualityDocument, TruthBlock } from '../truth.ts';
import { createDice } from '../../shared/dice.ts';
import { amount, paragraph, phrase, title } from './words.ts';

const LEVELS = [HeadingLevel.HEADING_1, HeadingLevel.HEADING_2, HeadingLevel.HEADING_3];

function truthOf(seed: number): TruthBlock[] {
  const dice = createDice(seed);
  const rows = (columns: number): string[][] =>
    Array.from({ length: 4 }, (_, row) =>
      Array.from({ length: columns }, (_, column) =>
        row === 0 || column === 0 ? phrase(dice) : amount(dice),
      ),
    );
  return [1, 2, 3].flatMap((section): TruthBlock[] => [
    { type: 'heading', level: 1, text: title(dice) },
    { type: 'paragraph', text: paragraph(dice) },
    { type: 'heading', level: 2, text: title(dice) },
    { type: 'list', items: [0, 1, 1, 0].map((depth) => ({ depth, text: `${title(dice)} ${section}` })) },
    { type: 'paragraph', text: paragraph(dice) },
    { type: 'heading', level: 3, text: title(dice) },
    { type: 'table', rows: rows(3) },
    { type: 'paragraph', text: paragraph(dice) },
  ]);
}

export async function flowDocuments(seed: number): Promise<QualityDocument[]> {
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
  const [word, markdown, plain] = [truthOf(seed), truthOf(seed + 1), truthOf(seed + 2)];
  return [
    { name: 'Word', group: 'word', type: 'docx', bytes: await asWord(word), truth: word },
    { name: 'Markdown', group: 'plain', type: 'md', bytes: encode(asMarkdown(markdown)), truth: markdown },
    { name: 'plain text', group: 'plain', type: 'txt', bytes: encode(asText(plain)), truth: plain },
  ];
}

export async function asWord(truth: TruthBlock[]): Promise<Uint8Array> {
  const note = 'A note at the foot of the page.';
  const children = truth.flatMap((block, index): (Paragraph | Table)[] => {
    switch (block.type) {
      case 'heading':
        return [
          new Paragraph({ heading: LEVELS[block.level - 1] ?? HeadingLevel.HEADING_1, text: block.text }),
        ];
      case 'list':
        return block.items.map(({ text, depth }) => new Paragraph({ text, bullet: { level: depth } }));
      case 'table':
        return [
          new Table({
            rows: block.rows.map(
              (row) =>
                new TableRow({
                  children: row.map((cell) => new TableCell({ children: [new Paragraph(cell)] })),
                }),
            ),
          }),
        ];
      default: {
        const text = 'text' in block ? block.text : '';
        return [
          new Paragraph({
            children: [new TextRun(text), ...(index === 1 ? [new FootnoteReferenceRun(1)] : [])],
          }),
        ];
      }
    }
  });
  const [, first] = truth;
  if (first && 'text' in first) first.text += '[1]';
  truth.push({ type: 'paragraph', text: `[1] ${note}` });
  const document = new Document({
    footnotes: { 1: { children: [new Paragraph(note)] } },
    numbering: {
      config: [{ reference: 'steps', levels: [{ level: 0, format: LevelFormat.DECIMAL, text: '%1.' }] }],
    },
    sections: [{ children }],
  });
  return new Uint8Array(await Packer.toBuffer(document));
}

export function asMarkdown(truth: readonly TruthBlock[]): string {
  const blocks = truth.map((block) => {
    if (block.type === 'heading') return `${'#'.repeat(block.level)} ${block.text}`;
    if (block.type === 'list')
      return block.items.map(({ text, depth }) => `${'  '.repeat(depth)}- ${text}`).join('\n');
    if (block.type === 'table') {
      const [header = [], ...rows] = block.rows.map((row) => `| ${row.join(' | ')} |`);
      return [header, `|${'---|'.repeat(block.rows[0]?.length ?? 0)}`, ...rows].join('\n');
    }
    return 'text' in block ? block.text : '';
  });
  return blocks.join('\n\n');
}

function asText(truth: readonly TruthBlock[]): string {
  const blocks = truth.map((block, index) => {
    if (block.type === 'heading') {
      const section = 1 + Math.floor(index / 8);
      block.text = `${[section, 1, 1].slice(0, block.level).join('.')} ${block.text}`;
      return block.text;
    }
    if (block.type === 'list')
      return block.items.map(({ text, depth }) => `${'  '.repeat(depth)}* ${text}`).join('\n');
    if (block.type === 'table') return block.rows.map((row) => row.join('\t')).join('\n');
    return 'text' in block ? block.text.replaceAll(/(.{60,75}) /g, '$1\n') : '';
  });
  return blocks.join('\n\n');
}
