import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  COMPONENT_STATUSES,
  entries,
  isTerminal,
  type Components,
  type ComponentState,
} from '../../../domain/components.ts';
import { isTerminalPrimary, primaryStatus } from '../../../domain/primary-status.ts';
import { retryComponents } from '../../../domain/retry-components.ts';
import { goneAt } from '../../../domain/trash/retention.ts';
import { cutShort, cutShortBy, isBusy } from '../../../domain/trash/trash.ts';

const state = fc.oneof(
  fc.constantFrom(...COMPONENT_STATUSES).map((status): ComponentState => ({ status })),
  fc.constant<ComponentState>({
    status: 'skipped',
    cause: 'cancelled',
    endedAt: '2026-01-01T00:00:00.000Z',
  }),
  fc.constant<ComponentState>({ status: 'skipped', cause: 'by_request' }),
);
const components: fc.Arbitrary<Components> = fc.record({ variant: state, description: state });
const later = fc.date({
  min: new Date('2026-01-02'),
  max: new Date('2030-01-01'),
  noInvalidDate: true,
});

test('a deletion closes unfinished components and keeps finished ones', () => {
  fc.assert(
    fc.property(components, later, (before, at) => {
      const after = cutShort(before, at);
      assert.ok(isTerminalPrimary(primaryStatus(after)));
      for (const [name, was] of entries(before)) {
        if (isTerminal(was.status)) assert.deepEqual(after[name], was);
        else assert.equal(after[name]?.cause, 'cancelled');
      }
    }),
  );
});

test('a restore resumes exactly the components that the deletion interrupted', () => {
  fc.assert(
    fc.property(components, later, (before, at) => {
      const unfinished = entries(before)
        .filter(([, { status }]) => !isTerminal(status))
        .map(([name]) => name);
      assert.deepEqual(cutShortBy(cutShort(before, at), at), unfinished);
    }),
  );
});

test('restoring a file that had ended reopens no component', () => {
  const ended: Components = { variant: { status: 'failed' }, description: { status: 'skipped' } };
  const at = new Date();
  const cut = cutShort(ended, at);
  const again = retryComponents({ mediaType: 'image', components: cut }, cutShortBy(cut, at));
  assert.deepEqual(again, { components: ended, retried: [] });
});

test('a document is busy only while its text is being extracted or embedded', () => {
  const busy = (status: ComponentState['status'], mediaType: 'document' | 'image' = 'document') =>
    isBusy({
      mediaType,
      components: { digitization: { status }, description: { status: 'queued' } },
    });
  assert.deepEqual(
    COMPONENT_STATUSES.filter((status) => busy(status)),
    ['queued', 'processing'],
  );
  assert.deepEqual(
    COMPONENT_STATUSES.filter((status) => busy(status, 'image')),
    [],
  );
});

test('a file can be restored for thirty days', () => {
  assert.equal(
    goneAt({ deletedAt: new Date('2026-02-10T12:00:00Z') }).toISOString(),
    '2026-03-12T12:00:00.000Z',
  );
});
