import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pagesABatch } from '../../../services/documents/plan-pages.ts';
import { PAGES_A_BATCH } from '../../../temporal/contract/digitize-document.ts';

const OPENINGS = [0, 1, 50, 159, 160, 161, 700, 4_500, 12_000, 36_000];

for (const opening of OPENINGS)
  test(`opening of ${opening} ms costs a page 10 ms at most, except in batches of 512`, () => {
    const pages = pagesABatch(opening);
    assert.ok(pages >= PAGES_A_BATCH && pages <= 512, `${pages} pages`);
    assert.ok(opening / pages <= 10 || pages === 512, `${opening / pages} ms`);
    // No longer than that takes, since a batch is tried again page by page.
    assert.ok(pages === PAGES_A_BATCH || opening > 10 * (pages - 1), `${pages} pages`);
  });
