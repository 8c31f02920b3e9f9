import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  admissible,
  delayOfNextAttempt,
  hasFailedTooLong,
  MAX_ATTEMPTS,
  type AdmissionState,
} from '../../../domain/webhooks/delivery.ts';

const SECONDS = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
const now = new Date('2026-11-23T12:00:00Z');
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);

test('ten attempts are made within about three days, each delayed by up to a fifth', () => {
  assert.equal(MAX_ATTEMPTS, 10);
  for (const [at, seconds] of SECONDS.entries()) {
    assert.equal(delayOfNextAttempt(at + 1, 0), seconds * 1000);
    const longest = delayOfNextAttempt(at + 1, 1) ?? 0;
    assert.ok(longest > seconds * 1000 && longest <= seconds * 1200, `${longest}`);
  }
  assert.equal(delayOfNextAttempt(MAX_ATTEMPTS, 0), undefined);
});

test('the number of concurrent deliveries is limited, with a low limit for a failing receiver', () => {
  const idle: AdmissionState = {
    failingSince: null,
    lastDispatchedAt: null,
    sending: 0,
    sendingOfTenant: 0,
  };
  const room = (state: Partial<AdmissionState>) => Math.max(0, admissible({ ...idle, ...state }, now));
  assert.equal(room({}), 20);
  assert.equal(room({ sending: 15, sendingOfTenant: 15 }), 5);
  assert.equal(room({ sendingOfTenant: 40 }), 0);
  assert.equal(room({ failingSince: ago(30) }), 20);
  assert.equal(room({ failingSince: ago(90) }), 1);
  assert.equal(room({ failingSince: ago(90), lastDispatchedAt: ago(30) }), 0);
  assert.equal(room({ failingSince: ago(90), lastDispatchedAt: ago(61) }), 1);
  assert.equal(room({ failingSince: ago(90), lastDispatchedAt: ago(61), sending: 20 }), 0);
});

test('a receiver has failed too long after three days without a success', () => {
  assert.equal(hasFailedTooLong(ago(3 * 86_400 - 1), now), false);
  assert.equal(hasFailedTooLong(ago(3 * 86_400), now), true);
});
