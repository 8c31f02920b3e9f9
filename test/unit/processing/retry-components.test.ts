import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ComponentName, Components } from '../../../domain/components.ts';
import type { MediaType } from '../../../domain/media.ts';
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

const TABLE: [string, MediaType, Components, ComponentName[] | undefined, ComponentName[]][] = [
  ['a failed description alone', 'image', { variant: done, description: failed }, undefined, ['description']],
  [
    'failed variants with their dependents',
    'image',
    { variant: failed, description: hungOnVariants },
    undefined,
    ['variant', 'description'],
  ],
  [
    'variants by name with their dependents',
    'image',
    { variant: failed, description: hungOnVariants },
    ['variant'],
    ['variant', 'description'],
  ],
  [
    'only variants by name when the description is completed',
    'image',
    { variant: done, description: done },
    ['variant'],
    ['variant'],
  ],
  [
    'variants by name without a description that was not requested',
    'image',
    { variant: failed, description: unwanted },
    ['variant'],
    ['variant'],
  ],
  [
    'only a cancelled component',
    'image',
    { variant: done, description: cutShort },
    undefined,
    ['description'],
  ],
  [
    'a description by name with the variants it needs',
    'image',
    { variant: failed, description: hungOnVariants },
    ['description'],
    ['variant', 'description'],
  ],
  ['nothing if nothing failed', 'image', { variant: done, description: unwanted }, undefined, []],
  [
    'the failed description of a video alone',
    'video',
    { video_analysis: done, description: failed },
    undefined,
    ['description'],
  ],
  [
    'a failed analysis of a video with the description that depends on it',
    'video',
    { video_analysis: failed, description: hungOnVariants },
    undefined,
    ['video_analysis', 'description'],
  ],
  [
    'a completed analysis by name with the description of its frames',
    'video',
    { video_analysis: done, description: done },
    ['video_analysis'],
    ['video_analysis', 'description'],
  ],
  [
    'a completed analysis by name without a description that was not requested',
    'video',
    { video_analysis: done, description: unwanted },
    ['video_analysis'],
    ['video_analysis'],
  ],
  [
    'the failed description of a link alone',
    'link',
    { crawl: done, variant: done, description: failed },
    undefined,
    ['description'],
  ],
  [
    'the failed preview of a link alone',
    'link',
    { crawl: done, variant: failed, description: done },
    undefined,
    ['variant'],
  ],
  [
    'a failed crawl with all its dependents',
    'link',
    { crawl: failed, variant: hungOnVariants, description: hungOnVariants },
    undefined,
    ['crawl', 'variant', 'description'],
  ],
  [
    'a completed crawl by name with its preview but without its description',
    'link',
    { crawl: done, variant: done, description: done },
    ['crawl'],
    ['crawl', 'variant'],
  ],
];

for (const [what, mediaType, components, requested, retried] of TABLE) {
  test(`retries ${what}`, () => {
    const after = retryComponents({ mediaType, components }, requested);
    assert.deepEqual(after.retried, retried);
    for (const [name, state] of Object.entries(after.components)) {
      const again = retried.includes(name as ComponentName);
      assert.deepEqual(state, again ? { status: 'queued' } : components[name as ComponentName]);
    }
  });
}

test('a component that is no longer requested is closed instead of reopened', () => {
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

test('dependents are direct or indirect', () => {
  assert.deepEqual([...withDependents('image', ['description'])], ['description']);
  assert.deepEqual([...withDependents('document', ['text_extraction'])].toSorted(), [
    'description',
    'digitization',
    'extraction',
    'preview',
    'text_extraction',
  ]);
});

test('a retry makes sense for a video whose reader crashed, but not for an unreadable one', () => {
  assert.deepEqual(
    ['VIDEO_CODEC_UNSUPPORTED', 'VIDEO_UNREADABLE', 'VIDEO_READER_CRASHED', undefined].map(isRetryable),
    [false, false, true, true],
  );
});
