import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Components, ComponentState } from '../../../domain/components.ts';
import { failureKind } from '../../../domain/failure-kind.ts';

const failed = (code: string): ComponentState => ({ status: 'failed', error: { code, message: code } });
const cancelled: ComponentState = { status: 'skipped', cause: 'cancelled' };
const upstream: ComponentState = { status: 'skipped', cause: 'upstream_failed' };

const TABLE: [string, Components, string | null][] = [
  ['is in progress', { variant: { status: 'queued' }, description: cancelled }, null],
  ['is completed in part', { variant: { status: 'completed' }, description: cancelled }, null],
  ['was cancelled at once', { variant: cancelled, description: cancelled }, 'cancelled'],
  [
    'was cancelled after a failure',
    { variant: failed('IMAGE_UNREADABLE'), description: cancelled },
    'unreadable',
  ],
  ['cannot be decoded', { variant: failed('IMAGE_UNREADABLE'), description: upstream }, 'unreadable'],
  ['is over a limit', { variant: failed('IMAGE_TOO_LARGE'), description: upstream }, 'rejected'],
  ['is a link to nothing', { crawl: failed('PAGE_NOT_FOUND'), description: upstream }, 'unreachable'],
  ['is a link to a known page', { crawl: failed('DUPLICATE_LINK'), description: upstream }, 'duplicate'],
  [
    'had no credits',
    { description: { ...cancelled, error: { code: 'QUOTA_EXHAUSTED', message: '' } } },
    'quota_exhausted',
  ],
  ['met a defect', { variant: failed('SOMETHING_NEW'), description: upstream }, 'service_failed'],
  [
    'has several reasons',
    { variant: failed('WORKER_LOST'), description: failed('MODEL_REFUSED') },
    'model_failed',
  ],
];

for (const [name, components, kind] of TABLE) {
  test(`the kind of failure of a file that ${name}`, () => assert.equal(failureKind(components), kind));
}
