import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Components } from '../../../domain/components.ts';
import { endOfDocumentAnalysis } from '../../../domain/documents/document-analysis.ts';

const error = { code: 'X', message: 'it is damaged' };
const done = { status: 'completed', endedAt: '2026-01-01T12:00:00.000Z' } as const;
const later = { status: 'completed', endedAt: '2026-01-01T12:01:00.000Z' } as const;

const TABLE: [string, Components, string | undefined][] = [
  ['nothing has started', { text_extraction: { status: 'pending' } }, undefined],
  [
    'pages are being read',
    { text_extraction: { status: 'processing' }, digitization: { status: 'pending' } },
    undefined,
  ],
  ['there are no chunks yet', { text_extraction: done, digitization: { status: 'queued' } }, undefined],
  [
    'only the description is missing',
    { text_extraction: done, digitization: later, description: { status: 'queued' } },
    'completed',
  ],
  [
    'indexing failed',
    { text_extraction: done, digitization: { status: 'failed', error } },
    'partially_completed',
  ],
  ['a page is missing', { text_extraction: { ...done, error }, digitization: later }, 'partially_completed'],
  [
    'the document cannot be read',
    {
      text_extraction: { status: 'failed', error },
      digitization: { status: 'skipped', cause: 'upstream_failed' },
    },
    'failed',
  ],
  ['the document was cancelled', { text_extraction: { status: 'skipped', cause: 'cancelled' } }, 'failed'],
];

for (const [name, components, status] of TABLE) {
  test(`the status of a document analysis when ${name}`, () => {
    assert.equal(endOfDocumentAnalysis(components)?.status, status);
  });
}

test('an analysis ends with the last component that it waits for', () => {
  const end = endOfDocumentAnalysis({ text_extraction: done, digitization: later, description: done });
  assert.equal(end?.endedAt, later.endedAt);
});
