import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ComponentName, Components } from '../../../domain/components.ts';
import {
  isRetryable,
  reopenComponents,
  retryComponents,
  withDependents,
} from '../../../domain/retry-components.ts';

const done = { status: 'completed' } as const;
const failed = { status: 'failed', error: { code: 'X', message: 'x' } } as const;
const hungOnVariants = { status: 'skipped', cause: 'upstream_failed' } as const;
const unwanted = { status: 'skipped', cause: 'by_request' } as const;
const cutShort = { status: 'skipped', cause: 'cancelled' } as const;

const TABLE: [string, Components, ComponentName[] | undefined, ComponentName[]][] = [
  ['a failed description alone', { variant: done, description: failed }, undefined, ['description']],
  [
    'failed variants with their dependents',
    { variant: failed, description: hungOnVariants },
    undefined,
    ['variant', 'description'],
  ],
  [
    'variants by name with their dependents',
    { variant: failed, description: hungOnVariants },
    ['variant'],
    ['variant', 'description'],
  ],
  [
    'only variants by name when the description is completed',
    { variant: done, description: done },
    ['variant'],
    ['variant'],
  ],
  [
    'variants by name without a description that was not requested',
    { variant: failed, description: unwanted },
    ['variant'],
    ['variant'],
  ],
  ['what was cancelled', { variant: done, description: cutShort }, undefined, ['description']],
  [
    'a description by name with the variants it needs',
    { variant: failed, description: hungOnVariants },
    ['description'],
    ['variant', 'description'],
  ],
  ['nothing when nothing failed', { variant: done, description: unwanted }, undefined, []],
];

for (const [what, components, requested, retried] of TABLE) {
  test(`retries ${what}`, () => {
    const after = retryComponents({ mediaType: 'image', components }, requested);
    assert.deepEqual(after.retried, retried);
    for (const [name, state] of Object.entries(after.components)) {
      const again = retried.includes(name as ComponentName);
      assert.deepEqual(state, again ? { status: 'queued' } : components[name as ComponentName]);
    }
  });
}

test('a component that nothing asks for any more is closed instead of reopened', () => {
  const components = { variant: done, description: cutShort, extraction: cutShort };
  const reopened = reopenComponents(
    { mediaType: 'image', components },
    { autoDescribe: true, contentCategory: 'general' },
  );
  assert.deepEqual(
    [reopened.retried, reopened.empty, reopened.components.extraction],
    [['description'], ['extraction'], unwanted],
  );
});

test('what depends on a component depends on it directly or not', () => {
  assert.deepEqual([...withDependents('image', ['description'])], ['description']);
  assert.deepEqual([...withDependents('document', ['text_extraction'])].toSorted(), [
    'description',
    'digitization',
    'extraction',
    'text_extraction',
  ]);
});

test('a video that cannot be analyzed is not worth a retry, one whose reader crashed is', () => {
  assert.deepEqual(
    ['VIDEO_CODEC_UNSUPPORTED', 'VIDEO_UNREADABLE', 'VIDEO_READER_CRASHED', undefined].map(isRetryable),
    [false, false, true, true],
  );
});
