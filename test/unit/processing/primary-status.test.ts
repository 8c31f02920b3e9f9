import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { COMPONENT_STATUSES, type Components, type ComponentState } from '../../../domain/components.ts';
import { primaryStatus, unifiedStatus } from '../../../domain/primary-status.ts';

const byRequest: ComponentState = { status: 'skipped', cause: 'by_request' };
const upstream: ComponentState = { status: 'skipped', cause: 'upstream_failed' };
const cancelled: ComponentState = { status: 'skipped', cause: 'cancelled' };
const state = (status: ComponentState['status']): ComponentState => ({ status });

const TABLE: [string, Components, string][] = [
  ['nothing to do', {}, 'completed'],
  ['nothing has started', { variant: state('pending'), description: state('pending') }, 'pending'],
  [
    'the first component is queued',
    { variant: state('queued'), description: state('pending') },
    'processing',
  ],
  ['the first component runs', { variant: state('processing'), description: state('pending') }, 'processing'],
  ['one of two is completed', { variant: state('completed'), description: state('queued') }, 'processing'],
  ['all are completed', { variant: state('completed'), description: state('completed') }, 'completed'],
  ['no description was requested', { variant: state('completed'), description: byRequest }, 'completed'],
  [
    'description failed',
    { variant: state('completed'), description: state('failed') },
    'partially_completed',
  ],
  ['all others depend on a failed one', { variant: state('failed'), description: upstream }, 'failed'],
  ['cancelled midway', { variant: state('completed'), description: cancelled }, 'partially_completed'],
  ['cancelled at once', { variant: cancelled, description: cancelled }, 'failed'],
];

for (const [name, components, primary] of TABLE) {
  test(`primary status when ${name}`, () => assert.equal(primaryStatus(components), primary));
}

test('unified status is queued until a step has started', () => {
  assert.equal(unifiedStatus({ variant: state('queued'), description: state('pending') }), 'queued');
  const done: ComponentState = { status: 'completed', endedAt: '2026-01-01T00:00:00.000Z' };
  assert.equal(unifiedStatus({ variant: done, description: state('queued') }), 'processing');
  assert.equal(unifiedStatus({ variant: done, description: byRequest }), 'completed');
});

test('any mix of statuses has a primary status, which is terminal exactly when no work is left', () => {
  const anyState = fc.constantFrom(...COMPONENT_STATUSES).map(state);
  fc.assert(
    fc.property(anyState, anyState, (variant, description) => {
      const open = [variant, description].some(({ status }) =>
        ['pending', 'queued', 'processing'].includes(status),
      );
      assert.equal(['pending', 'processing'].includes(primaryStatus({ variant, description })), open);
    }),
  );
});
