import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findWebhookProblems } from '../../../lab/chaos/webhook-watch.ts';

const event = (id: string, type: string, data: object) => ({ id, body: JSON.stringify({ type, data }) });

test('missing events and events under several ids are found', () => {
  const files = [{ id: 'a', primaryStatus: 'completed' }];
  const sessions = [{ id: 's', status: 'failed' }];
  const tasks = [{ kind: 'extraction', id: 'x' }] as const;
  const all = [
    event('1', 'file.created', { file_id: 'a', session_id: 's' }),
    event('2', 'file.completed', { file_id: 'a', session_id: 's' }),
    event('3', 'batch.started', { session_id: 's' }),
    event('4', 'batch.completed', { session_id: 's' }),
    event('5', 'upload.completed', { file_id: 'a' }),
    event('6', 'extraction.completed', { extraction_id: 'x', file_id: 'a' }),
  ];
  assert.deepEqual(findWebhookProblems(all, files, sessions, tasks), []);
  assert.deepEqual(findWebhookProblems(all.slice(1, 3), files, sessions, tasks), [
    'file.created of a was never delivered',
    'batch.completed of s was never delivered',
    'extraction.completed of x was never delivered',
  ]);
  const twice = [...all, event('7', 'file.completed', { file_id: 'a' })];
  assert.deepEqual(findWebhookProblems(twice, files, sessions, tasks), [
    'file.completed of a was delivered under 2 ids',
  ]);
  const unknown = [...all, event('8', 'export.completed', { export_id: 'e' })];
  assert.deepEqual(findWebhookProblems(unknown, files, sessions, tasks), [
    'export.completed of e was delivered, and no client has its result',
  ]);
});
