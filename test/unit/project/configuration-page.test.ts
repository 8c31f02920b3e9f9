import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { API_SETTINGS } from '../../../api/settings.ts';
import { configurationPage } from '../../../cli/docs/configuration-page.ts';
import { modelsPage } from '../../../cli/docs/models-page.ts';
import { devConfig } from '../../../dev/config.ts';
import { WORKER_SETTINGS } from '../../../worker/settings.ts';

const page = configurationPage();

test('docs/configuration.md equals the output of `npm run docs`', () => {
  const committed = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');
  assert.equal(committed, page);
});

test('docs/models.md equals the output of `npm run docs`', () => {
  const committed = readFileSync(new URL('../../../docs/models.md', import.meta.url), 'utf8');
  assert.equal(committed, modelsPage());
});

test('every setting is on the page once', () => {
  const names = new Set(
    [...API_SETTINGS, ...WORKER_SETTINGS, devConfig].flatMap((slice) => Object.keys(slice.shape)),
  );
  const listed = [...page.matchAll(/^\| `([A-Z0-9_]+)`/gm)].map(([, name]) => name);
  assert.deepEqual(listed.toSorted(), [...names].toSorted());
});

test('defaults and readers match the config slices', () => {
  const row = (name: string) =>
    page
      .split('\n')
      .find((line) => line.startsWith(`| \`${name}\``))
      ?.split('|')
      .map((cell) => cell.trim());
  assert.deepEqual([row('PORT')?.[2], row('PORT')?.[4]], ['`8080`', 'API, `npm start`']);
  assert.deepEqual([row('S3_ENDPOINT')?.[2], row('S3_ENDPOINT')?.[4]], ['**required**', 'API, workers']);
  assert.equal(row('OCR_LANGUAGES')?.[2], '`eng+deu+fra+spa+ara`');
  assert.equal(row('CPU_SLOTS')?.[2], 'one per core');
  assert.equal(row('SMTP_URL')?.[2], '–');
});
