import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { MEDIA_TYPES } from '../../../domain/media.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const names = MEDIA_TYPES.join('|');
/** Code that may depend on a medium: that of the medium itself, and API clients that compare responses. */
const OWN_ROOMS = [
  /^domain\/pipelines\//,
  new RegExp(`^(domain|services|api/resources)/(${names})s?/`),
  /^db\/migrations\//,
];

const COMPARISONS = [
  // mediaType === 'image', file.mediaType !== 'document'
  new RegExp(`(mediaType|media_type|medium)\\W{0,2} *[!=]==? *['"\`](${names})['"\`]`),
  new RegExp(`['"\`](${names})['"\`] *[!=]==? *\\w*(\\.|\\?\\.)?(mediaType|media_type|medium)\\b`),
  // media_type = 'image', media_type in ('image', …), in SQL
  new RegExp(`media_type\\b *(=|<>|!=|(not +)?in *\\(|is +(not +)?distinct +from) *'(${names})'`, 'i'),
  // switch (mediaType)
  /switch \([^)]*(mediaType|media_type|medium)\)/,
  // ['image', 'document'].includes(mediaType)
  /\]\.includes\([\w.]*(mediaType|media_type)\)/,
];

function comparisons(text: string): string[] {
  return text.split('\n').filter((line) => COMPARISONS.some((pattern) => pattern.test(line)));
}

test('media types are compared only in the code of their medium', () => {
  const sources = globSync(
    '{activities,adapters,api,db,domain,engines,packages,services,temporal,worker,workflows}/**/*.ts',
    {
      cwd: ROOT,
    },
  ).filter((path) => !OWN_ROOMS.some((room) => room.test(path)));
  assert.ok(sources.length > 500, 'the walk must find the sources');
  assert.deepEqual(
    sources.flatMap((path) =>
      comparisons(readFileSync(join(ROOT, path), 'utf8')).map((line) => `${path}: ${line.trim()}`),
    ),
    [],
    'use mediumOf(file) or presenterOf(file) instead',
  );
});

test('every kind of comparison with a media type is found', () => {
  for (const line of [
    `if (file.mediaType === 'image') return;`,
    `const { length } = mediaType !== "document" ? [] : all;`,
    `if ('video' === file.mediaType) return;`,
    `case when media_type = 'document' then 1 end`,
    `and f.media_type in ('image', 'video')`,
    `  switch (file.mediaType) {`,
    `if (['image', 'video'].includes(file.mediaType)) return;`,
  ]) {
    assert.deepEqual(comparisons(line), [line]);
  }
  for (const line of [`mediaType: 'image',`, `media_type = \${type}`, `if (mediaType === only) return;`])
    assert.deepEqual(comparisons(line), []);
});
