import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Document, HeadingLevel, Packer, Paragraph } from 'docx';
import sharp from 'sharp';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import { createDice, type Dice } from '../shared/dice.ts';
import type { NamedFile } from './hostile-files.ts';
import { makeClip } from './videos.ts';

/** Ordinary files by medium; the first entry is their extension. */
export const ORDINARY_MEDIA = ['jpg', 'pdf', 'docx', 'txt', 'md', 'mp4'] as const;
/** Kind of the images of a tenant that sends one every few seconds. */
export const VISITOR = 'visits';
export type OrdinaryMedium = (typeof ORDINARY_MEDIA)[number];

const PHOTOGRAPHS = ['chelsea.jpg', 'coffee.jpg', 'rocket.jpg'] as const;
const PARAGRAPHS_A_PAGE = 4;
const PAGES = 3;
const WORDS = (
  'the a of and pump well water hose board bridge green summer captain report winter harbour quiet invoice total ' +
  'date delivery garden owner lid frost warranty housing level ground meeting decided repaint long reads installs'
).split(' ') as [string, ...string[]];

/** Files of one medium, all different, determined by the seed. */
export async function ordinaryFiles(
  medium: OrdinaryMedium,
  count: number,
  seed: number,
): Promise<NamedFile[]> {
  const dice = createDice(seed);
  const files: NamedFile[] = [];
  for (let index = 0; index < count; index += 1) {
    const bytes = await makeOrdinaryFile(medium, { title: `Report ${seed} ${index}` }, dice);
    files.push({ kind: medium, name: `ordinary-${seed}-${index}.${medium}`, bytes });
  }
  return files;
}

/** The text of an ordinary file, besides its random paragraphs. */
export interface OrdinaryText {
  title: string;
  /** Lines below the title, such as `Total: 12.50`. */
  notes?: readonly string[];
  /** Number of pages of a PDF; of other documents, the paragraphs of so many pages. By default 3. */
  pages?: number;
}

/** One file, unique by its title. */
export async function makeOrdinaryFile(
  medium: OrdinaryMedium,
  { title, notes = [], pages = PAGES }: OrdinaryText,
  dice: Dice,
): Promise<Buffer<ArrayBuffer>> {
  return Buffer.from(await MAKERS[medium]({ title, notes, pages }, dice));
}

type Make = (text: Required<OrdinaryText>, dice: Dice) => Buffer | Promise<Buffer>;

const MAKERS: Readonly<Record<OrdinaryMedium, Make>> = {
  async jpg({ title }, dice) {
    const path = join(PROJECT_ROOT, 'dev', 'samples', dice.pick(PHOTOGRAPHS));
    const hue = dice.whole(0, 359);
    const photograph = await sharp(readFileSync(path)).modulate({ hue }).jpeg({ quality: 85 }).toBuffer();
    return Buffer.concat([photograph, Buffer.from(title)]);
  },
  docx: (text, dice) => {
    const heading = new Paragraph({ text: text.title, heading: HeadingLevel.HEADING_1 });
    const children = [heading, ...bodyOf(text, dice).map((each) => new Paragraph(each))];
    return Packer.toBuffer(new Document({ sections: [{ children }] }));
  },
  txt: (text, dice) => Buffer.from([text.title, ...bodyOf(text, dice)].join('\n\n')),
  md: (text, dice) => Buffer.from([`# ${text.title}`, ...bodyOf(text, dice)].join('\n\n')),
  pdf: (text, dice) => printed([text.title, ...bodyOf(text, dice)], text.pages),
  mp4: ({ title }) => makeClip(title),
};

/** The notes and the paragraphs. */
function bodyOf({ notes, pages }: Required<OrdinaryText>, dice: Dice): string[] {
  const paragraphs = Array.from({ length: PARAGRAPHS_A_PAGE * pages }, () => {
    const words = Array.from({ length: dice.whole(20, 60) }, () => dice.pick(WORDS));
    return `The ${words.join(' ')}.`;
  });
  return [...notes, ...paragraphs];
}

/** A PDF in Helvetica with the blocks spread over its pages. */
function printed(blocks: readonly string[], pageCount: number): Buffer {
  const pages = Array.from({ length: pageCount }, (_, page) =>
    blocks.filter((_block, at) => at % pageCount === page),
  );
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages.map((_, at) => `${4 + at * 2} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((texts, at) => {
      const rows = texts.flatMap((text) => [...(text.match(/.{1,80}(?: |$)/g) ?? []), '']);
      const content = `BT /F1 11 Tf 14 TL 60 780 Td ${rows.map((row) => `(${row}) '`).join('\n')} ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + at * 2} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ];
  const body = objects.map((object, at) => `${at + 1} 0 obj\n${object}\nendobj\n`).join('');
  return Buffer.from(`%PDF-1.4\n${body}trailer\n<< /Root 1 0 R /Size ${objects.length + 1} >>\n%%EOF\n`);
}
