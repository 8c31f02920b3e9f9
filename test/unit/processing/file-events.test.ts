import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  entries,
  initialComponents,
  isTerminal,
  outstanding,
  type Components,
} from '../../../domain/components.ts';
import { applyFileEvent, type FileEvent } from '../../../domain/file-events.ts';
import { retryComponents } from '../../../domain/retry-components.ts';

const mediaType = 'image';
const at = '2026-01-01T00:00:00.000Z';
const reason = { code: 'IMAGE_UNREADABLE', message: 'the image cannot be read' };
const component = fc.constantFrom('variant' as const, 'description' as const);
const anyEvent: fc.Arbitrary<FileEvent> = fc.oneof(
  component.map((name): FileEvent => ({ type: 'step_scheduled', component: name, at })),
  component.map((name): FileEvent => ({ type: 'step_started', component: name, at })),
  component.map((name): FileEvent => ({ type: 'step_completed', component: name, at })),
  component.map((name): FileEvent => ({ type: 'step_failed', mediaType, component: name, at, reason })),
  fc.constant<FileEvent>({ type: 'run_cancelled', at }),
  fc.constant<FileEvent>({ type: 'run_ended_abnormally', at, reason }),
);
const fresh = initialComponents(mediaType, { autoDescribe: true });

test('a terminal component is not changed by any later event', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 20 }), (events) => {
      let components: Components = fresh;
      for (const event of events) {
        const before = components;
        components = applyFileEvent(components, event);
        for (const [name, state] of entries(before)) {
          if (isTerminal(state.status)) assert.deepEqual(components[name], state);
        }
      }
    }),
  );
});

test('the end of a run leaves no component open', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 10 }), fc.boolean(), (events, cancelled) => {
      const end: FileEvent = cancelled
        ? { type: 'run_cancelled', at }
        : { type: 'run_ended_abnormally', at, reason };
      assert.deepEqual(
        outstanding({ mediaType, components: [...events, end].reduce(applyFileEvent, fresh) }),
        [],
      );
    }),
  );
});

test('a component that depends on a failed one is skipped with its cause', () => {
  const components = applyFileEvent(fresh, {
    type: 'step_failed',
    mediaType,
    component: 'variant',
    at,
    reason,
  });
  assert.equal(components.variant?.error, reason);
  assert.deepEqual(components.description, { status: 'skipped', cause: 'upstream_failed', endedAt: at });
});

test('a retry reruns failed components and their dependents, and keeps the rest', () => {
  const failed = applyFileEvent(fresh, { type: 'step_failed', mediaType, component: 'variant', at, reason });
  assert.deepEqual(retryComponents({ mediaType, components: failed }).retried, ['variant', 'description']);

  const done: FileEvent = { type: 'step_completed', component: 'variant', at };
  const broken: FileEvent = { type: 'step_failed', mediaType, component: 'description', at, reason };
  const half = [done, broken].reduce(applyFileEvent, fresh);
  const retry = retryComponents({ mediaType, components: half });
  assert.deepEqual(retry.retried, ['description']);
  assert.deepEqual(retry.components.variant, half.variant);
});

test('a retry by name includes the dependencies that are not completed', () => {
  const failed = applyFileEvent(fresh, { type: 'step_failed', mediaType, component: 'variant', at, reason });
  assert.deepEqual(retryComponents({ mediaType, components: failed }, ['description']).retried, [
    'variant',
    'description',
  ]);
});

test('a file whose requested components are completed has nothing to retry', () => {
  const components = applyFileEvent(initialComponents(mediaType, { autoDescribe: false }), {
    type: 'step_completed',
    component: 'variant',
    at,
  });
  assert.deepEqual(retryComponents({ mediaType, components }).retried, []);
});
