import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ocrConfig } from '../../../engines/text-recogniser/config.ts';

test('languages are a list of codes, by default all that are installed', () => {
  assert.deepEqual(ocrConfig.parse({}).OCR_LANGUAGES, ['eng', 'deu', 'fra', 'spa', 'ara']);
  assert.deepEqual(ocrConfig.parse({ OCR_LANGUAGES: 'eng+chi_sim+eng' }).OCR_LANGUAGES, ['eng', 'chi_sim']);
});

for (const bad of ['en', 'eng+', '+eng', 'eng,deu', '../eng', 'ENG']) {
  test(`${bad} is rejected as languages`, () => assert.throws(() => ocrConfig.parse({ OCR_LANGUAGES: bad })));
}
