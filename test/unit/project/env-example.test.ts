import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { API_SETTINGS } from '../../../api/settings.ts';
import { WORKER_SETTINGS } from '../../../worker/settings.ts';

test('.env.example names every setting of the API and the workers', () => {
  const text = readFileSync(new URL('../../../.env.example', import.meta.url), 'utf8');
  const slices = [...API_SETTINGS, ...WORKER_SETTINGS];
  const missing = slices
    .flatMap((slice) => Object.keys(slice.shape))
    .filter((name) => !new RegExp(`^#? ?${name}=`, 'm').test(text));
  assert.deepEqual(missing, []);
});
