import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findWebhookProblems } from '../../../lab/chaos/webhook-watch.ts';

const event = (id: string, type: string, data: object) => ({ id, body: JSON.stringify({ type, data }) });

test('missing events and events under several ids are found', () => {
  const files = [{ id: 'a', primaryStatus: 'completed' }];
  const sessions = [{ id: 's', status: 'failed' }];
  const all = [
    event('1', 'file.created', { file_id: 'a', session_id: 's' }),
    event('2', 'file.completed', { file_id: 'a', session_id: 's' }),
    event('3', 'batch.started', { session_id: 's' }),
    event('4', 'batch.completed', { session_id: 's' }),
    event('5', 'upload.completed', { file_id: 'a' }),
  ];
  assert.deepEqual(findWebhookProblems(all, files, sessions), []);
  assert.deepEqual(findWebhookProblems(all.slice(1, 3), files, sessions), [
    'file.created of a was never delivered',
    'batch.completed of s was never delivered',
  ]);
  const twice = [...all, event('6', 'file.completed', { file_id: 'a' })];
  assert.deepEqual(findWebhookProblems(twice, files, sessions), [
    'file.completed of a was delivered under 2 ids',
  ]);
});
