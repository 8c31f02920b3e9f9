/** Styles of the generated documents. Held-out ones differ in seeds, fonts, measures and combinations. */
import { StandardFonts } from 'pdf-lib';
import { createComposer, DESIGN, type Composer, type Design } from './composer.ts';
import { createDice, type Dice } from '../../shared/dice.ts';
import { amount, noun, paragraph, phrase, title } from './words.ts';

export interface Shape {
  name: string;
  design?: Partial<Design>;
  write: (composer: Composer, dice: Dice) => void;
}

const TIMES = { regular: StandardFonts.TimesRoman, bold: StandardFonts.TimesRomanBold };
const COURIER = { regular: StandardFonts.Courier, bold: StandardFonts.CourierBold };
const DEJAVU = { regular: 'DejaVuSerif.ttf', bold: 'DejaVuSerif-Bold.ttf' };
const CONDENSED = { regular: 'DejaVuSansCondensed.ttf', bold: 'DejaVuSansCondensed-Bold.ttf' };

const text = (composer: Composer, dice: Dice, paragraphs: number): void => {
  for (let count = 0; count < paragraphs; count++) composer.paragraph(paragraph(dice));
};

function report(composer: Composer, dice: Dice, { numbered = false, sections = 4 } = {}): void {
  if (!numbered) composer.heading(1, title(dice));
  for (let section = 1; section <= sections; section++) {
    const [top, sub] = numbered ? [1, 2] : [2, 3];
    composer.heading(top, `${numbered ? `${section} ` : ''}${title(dice)}`);
    text(composer, dice, 2);
    for (let part = 1; part <= 2; part++) {
      composer.heading(sub, `${numbered ? `${section}.${part} ` : ''}${title(dice)}`);
      text(composer, dice, 1);
      if (numbered && part === 2) {
        composer.heading(3, `${section}.${part}.1 ${title(dice)}`);
        text(composer, dice, 1);
      }
    }
  }
}

const grid = (dice: Dice, rows: number, columns: number, empty = 0): string[][] => [
  Array.from({ length: columns }, (_, column) => (column === 0 ? 'Item' : `${title(dice, 2).split(' ')[0]}`)),
  ...Array.from({ length: rows }, () =>
    Array.from({ length: columns }, (_, column) =>
      column === 0 ? phrase(dice) : dice.fraction() < empty ? '' : amount(dice),
    ),
  ),
];

const items = (dice: Dice, nested: boolean) =>
  Array.from({ length: 7 }, (_, index) => ({
    text: index % 3 === 1 ? paragraph(dice, 2) : `${title(dice)} ${noun(dice)}`,
    depth: nested && index % 3 !== 0 ? (index % 3 === 2 ? 2 : 1) : 0,
  })).map((item, index, all) => ({
    ...item,
    depth: Math.min(item.depth, (all[index - 1]?.depth ?? -1) + 1),
  }));

function tables(composer: Composer, dice: Dice, ruled: 'all' | 'none' | 'head', empty = 0): void {
  composer.heading(1, title(dice));
  text(composer, dice, 1);
  composer.table(grid(dice, 6, 4, empty), { ruled, widths: [3, 2, 2, 2], numbers: false });
  text(composer, dice, 1);
  composer.heading(2, title(dice));
  composer.table(grid(dice, 5, 3, empty), { ruled, widths: [3, 2, 2], numbers: true });
  text(composer, dice, 2);
}

function longCells(composer: Composer, dice: Dice, ruled: 'all' | 'none' | 'head'): void {
  composer.heading(1, title(dice));
  text(composer, dice, 1);
  const rows = Array.from({ length: 5 }, () => [phrase(dice), paragraph(dice, 1), amount(dice)]);
  composer.table([['Name', 'Description', 'Value'], ...rows], { ruled, widths: [2, 4, 1], numbers: false });
  text(composer, dice, 2);
}

function form(composer: Composer, dice: Dice, aligned: boolean): void {
  composer.heading(1, title(dice));
  text(composer, dice, 1);
  composer.pairs(
    [
      ['Invoice number', `${dice.whole(1000, 9999)}-${dice.whole(10, 99)}`],
      ['Date', `${dice.whole(1, 28)} March ${dice.whole(1990, 2024)}`],
      ['Customer', title(dice)],
      ['Place', title(dice, 2)],
      ['Total', `${amount(dice)} EUR`],
    ],
    aligned,
  );
  text(composer, dice, 2);
}

function lists(composer: Composer, dice: Dice, ordered: boolean): void {
  composer.heading(1, title(dice));
  text(composer, dice, 1);
  composer.list(items(dice, true));
  text(composer, dice, 1);
  composer.heading(2, title(dice));
  composer.list(items(dice, false), ordered);
  text(composer, dice, 1);
}

function figures(composer: Composer, dice: Dice): void {
  composer.heading(1, title(dice));
  for (let figure = 1; figure <= 2; figure++) {
    text(composer, dice, 2);
    composer.figure(`Figure ${figure}: ${phrase(dice)} and ${phrase(dice)}`);
  }
  text(composer, dice, 1);
}

const ARABIC =
  'الكتاب المدينة النهر الطريق الكبير الصغير القديم الجديد يصف الباحث نتائج الدراسة العلمية في السنة الماضية وكانت المياه عميقة عند الجسر الشمالي الأولى الآن خلال العلاقات لا الإدارة'.split(
    ' ',
  );
const HEBREW =
  'הספר העיר הנהר הדרך הגדול הקטן הישן החדש מתאר את תוצאות המחקר בשנה שעברה והמים היו עמוקים ליד הגשר הצפוני'.split(
    ' ',
  );

function rightToLeft(composer: Composer, dice: Dice, words: readonly string[]): void {
  const line = (count: number): string => Array.from({ length: count }, () => dice.pick(words)).join(' ');
  composer.heading(1, line(3));
  for (let section = 0; section < 3; section++) {
    composer.heading(2, line(3));
    composer.paragraph(line(40));
    composer.paragraph(line(30));
  }
}

/** Scored during development. */
export const DEVELOPMENT: Shape[] = [
  { name: 'one column', write: (c, r) => report(c, r) },
  {
    name: 'two columns',
    design: {
      ...TIMES,
      columns: 2,
      size: 10,
      justified: true,
      indented: true,
      hyphenated: true,
      headings: [1.9, 1.3, 1.1],
    },
    write: (c, r) => report(c, r, { sections: 5 }),
  },
  {
    name: 'three columns',
    design: { columns: 3, size: 9, gutter: 16, margin: 44, hyphenated: true },
    write: (c, r) => report(c, r, { sections: 5 }),
  },
  {
    name: 'numbered headings',
    design: { ...TIMES, size: 11, headings: [1.5, 1.25, 1.1], running: true },
    write: (c, r) => report(c, r, { numbered: true, sections: 6 }),
  },
  {
    name: 'headings of one size',
    design: { headings: [1, 1, 1], running: true },
    write: (c, r) => report(c, r, { numbered: true, sections: 8 }),
  },
  { name: 'ruled tables', write: (c, r) => tables(c, r, 'all', 0.15) },
  { name: 'unruled tables', design: TIMES, write: (c, r) => tables(c, r, 'none') },
  { name: 'tables with head lines', write: (c, r) => tables(c, r, 'head', 0.15) },
  { name: 'ruled table, long cells', design: TIMES, write: (c, r) => longCells(c, r, 'all') },
  { name: 'unruled table, long cells', write: (c, r) => longCells(c, r, 'none') },
  { name: 'lists', write: (c, r) => lists(c, r, true) },
  { name: 'key and value', write: (c, r) => form(c, r, false) },
  { name: 'key and value, aligned', design: TIMES, write: (c, r) => form(c, r, true) },
  { name: 'figures', write: figures },
  { name: 'rotated by 90', design: { rotation: 90 }, write: (c, r) => report(c, r, { sections: 2 }) },
  {
    name: 'rotated by 180',
    design: { ...TIMES, rotation: 180 },
    write: (c, r) => report(c, r, { sections: 2 }),
  },
  {
    name: 'Hebrew',
    design: { regular: 'DejaVuSans.ttf', bold: 'DejaVuSans-Bold.ttf', rightToLeft: true },
    write: (c, r) => rightToLeft(c, r, HEBREW),
  },
  {
    name: 'typewritten',
    design: { ...COURIER, size: 11, headings: [1.5, 1.25, 1.1] },
    write: (c, r) => report(c, r, { sections: 3 }),
  },
  {
    name: 'light headings, large',
    design: { ...DEJAVU, size: 11, boldHeadings: false, headings: [1.9, 1.45, 1.2] },
    write: (c, r) => report(c, r, { sections: 3 }),
  },
  {
    name: 'condensed, close headings',
    design: { ...CONDENSED, size: 10, headings: [1.45, 1.25, 1.12], running: true },
    write: (c, r) => report(c, r, { sections: 9 }),
  },
];

/** Scored only for the final measurement. */
export const HELD_OUT: Shape[] = [
  {
    name: 'one column, letter',
    design: { ...COURIER, width: 612, height: 792, size: 10, headings: [1.6, 1.3, 1.15] },
    write: (c, r) => report(c, r),
  },
  {
    name: 'two columns, condensed',
    design: { ...CONDENSED, columns: 2, gutter: 18, size: 9, hyphenated: true, headings: [2.1, 1.35, 1.12] },
    write: (c, r) => report(c, r, { sections: 6 }),
  },
  {
    name: 'two columns, running lines',
    design: { ...DEJAVU, columns: 2, size: 8.5, running: true, indented: true },
    write: (c, r) => report(c, r, { numbered: true, sections: 10 }),
  },
  {
    name: 'three columns, justified',
    design: { ...TIMES, columns: 3, size: 9.5, gutter: 18, margin: 40, justified: true, hyphenated: true },
    write: (c, r) => report(c, r, { sections: 6 }),
  },
  {
    name: 'light headings',
    design: { ...DEJAVU, size: 10, boldHeadings: false, headings: [2, 1.5, 1.2] },
    write: (c, r) => report(c, r, { sections: 3 }),
  },
  {
    name: 'numbered, one size, serif',
    design: { ...DEJAVU, size: 9.5, headings: [1, 1, 1] },
    write: (c, r) => report(c, r, { numbered: true, sections: 4 }),
  },
  { name: 'ruled tables, serif', design: { ...DEJAVU, size: 9 }, write: (c, r) => tables(c, r, 'all', 0.25) },
  { name: 'unruled tables, condensed', design: CONDENSED, write: (c, r) => tables(c, r, 'none') },
  { name: 'head lines and empty cells', design: TIMES, write: (c, r) => tables(c, r, 'head', 0.25) },
  { name: 'long cells, ruled', design: { ...CONDENSED, size: 9 }, write: (c, r) => longCells(c, r, 'all') },
  { name: 'long cells, head lines', design: TIMES, write: (c, r) => longCells(c, r, 'head') },
  {
    name: 'lists with dashes',
    design: { ...DEJAVU, bullet: '–', size: 9.5 },
    write: (c, r) => lists(c, r, true),
  },
  { name: 'form', design: CONDENSED, write: (c, r) => form(c, r, false) },
  { name: 'form, aligned', design: { ...DEJAVU, size: 9 }, write: (c, r) => form(c, r, true) },
  { name: 'figures in two columns', design: { ...TIMES, columns: 2, size: 10 }, write: figures },
  {
    name: 'rotated by 270',
    design: { ...DEJAVU, rotation: 270 },
    write: (c, r) => report(c, r, { sections: 2 }),
  },
  {
    name: 'Arabic',
    design: { regular: 'DejaVuSans.ttf', bold: 'DejaVuSans-Bold.ttf', rightToLeft: true },
    write: (c, r) => rightToLeft(c, r, ARABIC),
  },
];

/** Shapes that are also printed and scanned, by name. */
export const SCANNED: readonly string[] = [
  'one column',
  'two columns',
  'numbered headings',
  'headings of one size',
  'unruled tables',
  'lists',
  'typewritten',
  'light headings, large',
  'condensed, close headings',
  'one column, letter',
  'two columns, running lines',
  'light headings',
  'numbered, one size, serif',
  'unruled tables, condensed',
  'lists with dashes',
  'form',
];

/** Shapes that are also scanned sideways or upside down. */
export const TURNED: readonly string[] = [
  'one column',
  'unruled tables',
  'typewritten',
  'one column, letter',
  'lists with dashes',
  'form',
];

/** Shapes of which every second page is scanned. */
export const MIXED: readonly string[] = ['numbered headings', 'light headings'];

export async function composeShape({ design, write }: Shape, seed: number) {
  const composer = await createComposer({ ...DESIGN, ...design });
  write(composer, createDice(seed));
  return composer.finish();
}
