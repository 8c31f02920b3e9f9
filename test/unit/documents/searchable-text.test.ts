import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchableText } from '../../../domain/documents/searchable-text.ts';

test('signs that are no letters do not stick to words', () => {
  const cases: [text: string, searchable: string][] = [
    ['«Museo de Albarraza»', ' Museo de Albarraza '],
    ['¿Cuándo?', ' Cuándo?'],
    ['d’heures – “always”', 'd heures    always '],
    ['soft\u00ADware', 'software'],
    ['مكتبة النهضة؟', 'مكتبة النهضة '],
    ['plain, "text" 3.5', 'plain, "text" 3.5'],
  ];
  for (const [text, searchable] of cases) assert.equal(searchableText(text), searchable);
});
