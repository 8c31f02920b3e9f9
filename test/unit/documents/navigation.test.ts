import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findNavigation } from '../../../domain/documents/navigation.ts';
import type { PageContent, PageElement } from 'darkroom-reader/document';
import {
  listElement as list,
  tableElement as table,
  textElement as element,
} from '../../support/elements.ts';

const heading = (content: string) => element('heading', content, { level: 1 });
const text = (content: string) => element('paragraph', content);
const BODY = text(
  'The pump is delivered with a warranty of two years against faults of material, see page 12.',
);

/** The role of every element of pages, in order. */
function roles(...pages: PageElement[][]): (string | undefined)[] {
  const contents = pages.map((elements, at): PageContent => ({
    pageNumber: at + 1,
    source: 'document',
    elements,
  }));
  const found = findNavigation(contents);
  return pages.flat().map((each) => found.get(each));
}
const all = (role: string | undefined, count: number) => Array.from({ length: count }, () => role);

test('contents, lists of figures and indexes are recognised', () => {
  const contents: Record<string, PageElement[]> = {
    'leaders under a title': [
      heading('Table of Contents'),
      list('1 Introduction … 1', '1.1 Scope … 1', '2 Safety … 4', '2.1 Water … 5', '3 Care … 9'),
    ],
    'leaders without a title': [
      list('1 Introduction ..... 1', '1.1 Scope . . . . 1', '2 Safety … 4', '2.1 Water … 5', '3 Care … 9'),
    ],
    'chapters without leaders, read as headings': [
      heading('Contents'),
      heading('1 Introduction 1'),
      list('1.1 Scope … 1', '1.2 Terms … 2', '1.3 Parts … 3'),
      heading('2 Safety 4'),
      list('2.1 Water … 5', '2.2 Power … 6'),
    ],
    'German, without leaders': [
      heading('Inhaltsverzeichnis'),
      text('Einleitung 1'),
      text('Sicherheit 3'),
      text('Aufbau 7'),
      text('Wartung 12'),
      text('Entsorgung 15'),
    ],
    French: [
      heading('Table des matières'),
      list('Préface … iii', 'Sécurité … 1', 'Eau … 4', 'Entretien … 9', 'Fin … 12'),
    ],
    Spanish: [
      heading('Índice general'),
      list('Prólogo … 1', 'Agua … 2', 'Motor … 4', 'Cuidado … 9', 'Fin … 12'),
    ],
    Arabic: [
      heading('المحتويات'),
      list('مقدمة … ١', 'السلامة … ٣', 'الماء … ٥', 'الصيانة … ٩', 'الخاتمة … ١٢'),
    ],
    'a list of figures': [
      heading('List of Figures'),
      list('The pump … 2', 'The seal … 4', 'The tank … 4', 'Wires … 8', 'A plug … 9'),
    ],
    'a table that was a list': [
      heading('Contents'),
      table(
        ['1 Introduction … ', '1'],
        ['2 Safety', '4'],
        ['3 Care …', '9'],
        ['4 Parts …', '12'],
        ['5 End …', '14'],
        ['6 Index …', '15'],
      ),
    ],
  };
  for (const [name, elements] of Object.entries(contents))
    assert.deepEqual(roles([...elements, BODY]), [...all('contents', elements.length), undefined], name);

  const indexes: Record<string, PageElement[]> = {
    'under a title': [
      heading('INDEX'),
      text('R'),
      text('reboot, 91 reboot-required, 91'),
      text('S'),
      text('signals reboot, 91'),
    ],
    'with leaders, in columns': [
      heading('Appendix D Function and variable index'),
      text('A M'),
      list('abline … 71 max … 60', 'add1 … 60', 'anova … 58, 60 mean … 59'),
      list('aov … 59', 'array … 22, 24–26'),
    ],
    'without a title': [
      list('bessel_i … 194', 'beta … 193', 'choose … 193', 'cospi … 194', 'debug … 119', 'error … 184'),
    ],
    German: [
      heading('Stichwortverzeichnis'),
      text('Abdichtung, 4, 12'),
      text('Motor, 7–9'),
      text('Wasser, 3, 5'),
    ],
  };
  for (const [name, elements] of Object.entries(indexes))
    assert.deepEqual(roles([...elements, BODY]), [...all('index', elements.length), undefined], name);
});

test('contents continue over pages, past their headers and past a broken line', () => {
  const header = element('paragraph', 'Contents iv', { role: 'page_header' });
  const found = roles(
    [heading('Contents'), list('1 Water … 1', '2 Power … 3', '3 Care … 5')],
    [
      header,
      text('4 What to do if the pump'),
      list('does not start … 6', '5 Parts … 8', '6 End … 9'),
      heading('1 Water'),
      BODY,
    ],
  );
  assert.deepEqual(found, ['contents', 'contents', undefined, 'contents', 'contents', undefined, undefined]);
});

test('tables of numbers, price lists, forms and prose are neither', () => {
  const others: Record<string, PageElement[]> = {
    'a table of numbers': [
      table(
        ['City', 'People'],
        ['Berlin', '3645'],
        ['Hamburg', '1841'],
        ['Kiel', '246'],
        ['Köln', '1086'],
        ['Ulm', '126'],
      ),
    ],
    'a table in order, below a title': [
      heading('Contents'),
      table(
        ['Screws', '4'],
        ['Nuts', '6'],
        ['Bolts', '8'],
        ['Washers', '12'],
        ['Pins', '14'],
        ['Keys', '16'],
      ),
    ],
    'a price list with leaders': [
      heading('Drinks'),
      list(
        'Espresso … 3',
        'Cappuccino … 5',
        'Americano … 4',
        'Tea … 3',
        'Water … 2',
        'Orange juice … 6',
        'Cake … 4',
      ),
    ],
    'prices with cents': [
      list('Espresso … 2.50', 'Tea … 2.80', 'Water … 3.10', 'Juice … 3.90', 'Cake … 4.20', 'Pie … 4.60'),
    ],
    'a section about an index': [
      heading('Creating an index'),
      BODY,
      text('An index of a table is a tree, as on page 12'),
    ],
    'a form with dots': [
      text('Name ..........'),
      text('Street ..........'),
      text('Date ..........'),
      text('Place ..........'),
      text('Signature ..........'),
    ],
    'a list of years': [
      list(
        'Founded in 1948',
        'First pump in 1952',
        'New plant in 1967',
        'Branch in Kiel 1971',
        'Sold in 1999',
      ),
    ],
    'numbered steps': [
      list('1. Open valve 1', '2. Open valve 2', '3. Open valve 3', '4. Open valve 4', '5. Open valve 5'),
    ],
    'prose with an ellipsis': [text('And then … 5 of them left.'), BODY, BODY],
  };
  for (const [name, elements] of Object.entries(others))
    assert.deepEqual(roles([...elements, BODY]), all(undefined, elements.length + 1), name);
});

test('prose of any kind is never navigation', () => {
  const sentence = fc
    .array(fc.stringMatching(/^[a-zäß0-9]{1,12}$/), { minLength: 1, maxLength: 40 })
    .map((words) => `${words.join(' ')}.`);
  fc.assert(
    fc.property(fc.array(sentence, { maxLength: 20 }), (sentences) => {
      assert.deepEqual(roles(sentences.map(text)), all(undefined, sentences.length));
    }),
  );
});

test('lines of any length are judged', () => {
  const long = [
    text('. '.repeat(500_000)),
    text('a, 1'.repeat(250_000)),
    table(['Page'], [' '.repeat(500_000)]),
  ];
  assert.deepEqual(roles([heading('Index'), ...long, BODY]), all(undefined, 5));
});
