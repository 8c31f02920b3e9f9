import { createDice, type Dice } from '../../shared/dice.ts';
import { amount, paragraph, phrase, title } from '../generate/words.ts';
import type { Half } from '../half.ts';
import { typeset } from '../real/typeset.ts';
import type { SplitSource } from './sources.ts';

/** A firm whose letters look alike. */
interface Firm {
  name: string;
  half: Half;
  style: string;
  /** What stands above a letter. */
  head: (dice: Dice) => string;
  open: (dice: Dice) => string;
  close: string;
  kind: 'letter' | 'invoice';
}

const date = (dice: Dice): string => `${dice.whole(1, 28)}.${dice.whole(1, 12)}.${dice.whole(2019, 2026)}`;
const number = (dice: Dice): number => dice.whole(100_000, 999_999);

const FIRMS: readonly Firm[] = [
  {
    name: 'Mill & Sons',
    half: 'development',
    kind: 'letter',
    style:
      '@page { @bottom-center { content: "Page " counter(page) " of " counter(pages); font: 8pt Sans } }',
    head: (dice) =>
      `<h1>Mill &amp; Sons Ltd</h1><p>12 Harbour Road, Leith<br>Telephone 0131 555 010</p><p>${date(dice)}</p><p>Our ref: ${number(dice)}</p>`,
    open: (dice) => `<p>Dear ${title(dice, 2)},</p>`,
    close: '<p>Yours sincerely,</p><p>The manager</p>',
  },
  {
    name: 'Stadtwerke',
    half: 'development',
    kind: 'invoice',
    style: '@page { @top-right { content: counter(page); font: 9pt Serif } } body { font-family: Serif }',
    head: (dice) =>
      `<p>Stadtwerke Neuburg GmbH · Bahnhofstraße 4 · 86633 Neuburg</p><h2>Rechnung</h2><p>Rechnungsnummer: ${number(dice)}</p><p>Datum: ${date(dice)}</p>`,
    open: () => '<p>Sehr geehrte Damen und Herren,</p>',
    close: '<p>Mit freundlichen Grüßen</p>',
  },
  {
    name: 'Quiet River',
    half: 'development',
    kind: 'letter',
    style: 'h3 { text-align: center }',
    head: (dice) => `<h3>Quiet River Library</h3><p>${date(dice)}</p>`,
    open: (dice) => `<p>To the ${phrase(dice)} committee</p><h2>${title(dice)}</h2>`,
    close: '',
  },
  {
    name: 'Nordlicht',
    half: 'held-out',
    kind: 'invoice',
    style:
      '@page { @bottom-right { content: "Seite " counter(page) " von " counter(pages); font: 7pt Sans } } h1 { text-align: right }',
    head: (dice) =>
      `<h1>Nordlicht AG</h1><p>Kundennummer ${number(dice)}<br>Beleg vom ${date(dice)}</p><h2>Gutschrift ${number(dice)}</h2>`,
    open: () => '',
    close: '<p>Zahlbar innerhalb von 14 Tagen.</p>',
  },
  {
    name: 'Maison Verte',
    half: 'held-out',
    kind: 'letter',
    style:
      'body { font-family: Serif } @page { @bottom-left { content: "Maison Verte SARL, Lyon"; font: 7pt Serif } }',
    head: (dice) =>
      `<p>Maison Verte SARL<br>3 rue du Lac, Lyon</p><p>Lyon, le ${date(dice)}</p><p>Objet : ${phrase(dice)}</p>`,
    open: () => '<p>Madame, Monsieur,</p>',
    close: '<p>Veuillez agréer nos salutations distinguées.</p>',
  },
  {
    name: 'Council',
    half: 'held-out',
    kind: 'letter',
    style: '@page { @top-center { content: "- " counter(page) " -"; font: 9pt Mono } }',
    head: (dice) =>
      `<h2>District Council</h2><p>Planning department</p><p>Case ${number(dice)}/${dice.whole(19, 26)}</p>`,
    open: (dice) => `<p>Applicant: ${title(dice, 2)}</p>`,
    close: '<p>For the council</p>',
  },
];

const LETTERS = 8;

/** Letters and invoices of made firms, printed by a browser: each firm's look alike. */
export async function madeLetters(half: Half): Promise<SplitSource[]> {
  const made: SplitSource[] = [];
  for (const [at, firm] of FIRMS.entries()) {
    if (firm.half !== half) continue;
    for (let count = 0; count < LETTERS; count++) {
      const dice = createDice(9_000 + at * 100 + count);
      const path = await typeset('print', htmlOf(firm, dice));
      made.push({ name: `${firm.name} ${count + 1}`, maker: firm.name, path });
    }
  }
  return made;
}

function htmlOf({ style, head, open, close, kind }: Firm, dice: Dice): string {
  const long = dice.pick([1, 1, 2, 3]);
  const text = Array.from({ length: long * 7 - 3 }, () => `<p>${paragraph(dice)}</p>`).join('');
  const rows = Array.from(
    { length: long * 22 - 12 },
    (_, row) => `<tr><td>${row + 1}</td><td>${phrase(dice)}</td><td>${amount(dice)}</td></tr>`,
  ).join('');
  const body =
    kind === 'letter' ? text : `<table><tr><th>No.</th><th>Item</th><th>Amount</th></tr>${rows}</table>`;
  return `<style>${style}</style>${head(dice)}${open(dice)}${body}${close}`;
}
