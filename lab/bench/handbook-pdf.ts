import { createComposer, DESIGN } from '../quality/generate/composer.ts';
import { createDice } from '../shared/dice.ts';
import { readHandbooks } from './sentences.ts';

const SENTENCES_A_PARAGRAPH = 4;
const PARAGRAPHS_A_SECTION = 7;
/** Every tenth section ends with a table. */
const TABLE_EVERY = 10;
/** Characters in the standard fonts of PDF. */
const PRINTABLE = /^[\x20-\x7E\u2013\u2014\u2018-\u201D]*$/;

/**
 * A PDF with a text layer and at least `pages` pages: sections of human-written sentences, and tables.
 *
 * @param seed different seeds make different handbooks
 */
export async function handbookPdf(pages: number, seed = 1): Promise<Uint8Array> {
  const sentences = (await readHandbooks()).filter((text) => PRINTABLE.test(text));
  const dice = createDice(seed);
  const composer = await createComposer({ ...DESIGN, running: true });
  for (let section = 1; composer.pageCount() < pages; section++) {
    composer.heading(2, dice.pick(sentences).split(' ').slice(0, 4).join(' '));
    for (let part = 0; part < PARAGRAPHS_A_SECTION; part++) {
      const paragraph = Array.from({ length: SENTENCES_A_PARAGRAPH }, () => dice.pick(sentences));
      composer.paragraph(paragraph.join(' '));
    }
    if (section % TABLE_EVERY === 0) {
      const rows = [
        ['Name', 'Value'],
        ['one', '1'],
        ['two', '2'],
      ];
      composer.table(rows, { ruled: 'all', widths: [1, 1], numbers: false });
    }
  }
  return (await composer.finish()).bytes;
}
