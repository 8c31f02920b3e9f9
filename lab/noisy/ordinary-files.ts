import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Document, HeadingLevel, Packer, Paragraph } from 'docx';
import sharp from 'sharp';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import { createDice, type Dice } from '../shared/dice.ts';
import type { NamedFile } from './hostile-files.ts';

/** Ordinary files by medium; the first entry is their extension. */
export const ORDINARY_MEDIA = ['jpg', 'pdf', 'docx', 'txt', 'md'] as const;
export type OrdinaryMedium = (typeof ORDINARY_MEDIA)[number];

const PHOTOGRAPHS = ['chelsea.jpg', 'coffee.jpg', 'rocket.jpg'] as const;
const PARAGRAPHS = 12;
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
    const title = `Report ${seed} ${index}`;
    const bytes = Buffer.from(await MAKERS[medium](title, dice));
    files.push({ kind: medium, name: `ordinary-${seed}-${index}.${medium}`, bytes });
  }
  return files;
}

type Make = (title: string, dice: Dice) => Buffer | Promise<Buffer>;

const MAKERS: Readonly<Record<OrdinaryMedium, Make>> = {
  async jpg(title, dice) {
    const path = join(PROJECT_ROOT, 'dev', 'samples', dice.pick(PHOTOGRAPHS));
    const hue = dice.whole(0, 359);
    const photograph = await sharp(readFileSync(path)).modulate({ hue }).jpeg({ quality: 85 }).toBuffer();
    return Buffer.concat([photograph, Buffer.from(title)]);
  },
  docx: (title, dice) => {
    const heading = new Paragraph({ text: title, heading: HeadingLevel.HEADING_1 });
    const children = [heading, ...paragraphs(dice).map((text) => new Paragraph(text))];
    return Packer.toBuffer(new Document({ sections: [{ children }] }));
  },
  txt: (title, dice) => Buffer.from([title, ...paragraphs(dice)].join('\n\n')),
  md: (title, dice) => Buffer.from([`# ${title}`, ...paragraphs(dice)].join('\n\n')),
  pdf: (title, dice) => printed([title, ...paragraphs(dice)]),
};

function paragraphs(dice: Dice): string[] {
  return Array.from({ length: PARAGRAPHS }, () => {
    const words = Array.from({ length: dice.whole(20, 60) }, () => dice.pick(WORDS));
    return `The ${words.join(' ')}.`;
  });
}

/** A PDF of three pages in Helvetica. */
function printed(blocks: readonly string[]): Buffer {
  const pages = [0, 1, 2].map((page) => blocks.filter((_, at) => at % 3 === page));
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
