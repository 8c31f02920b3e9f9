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
  const listed = [...page.matchAll(/^- `([A-Z0-9_]+)`/gm)].map(([, name]) => name);
  assert.deepEqual(listed.toSorted(), [...names].toSorted());
});

test('defaults and readers match the config slices', () => {
  const row = (name: string) => new RegExp(`^- \`${name}\` \\((.+?); (.+?)\\):`, 'm').exec(page) ?? [];
  assert.deepEqual([row('PORT')[1], row('PORT')[2]], ['`8080`', 'API, `npm start`']);
  assert.deepEqual([row('S3_ENDPOINT')[1], row('S3_ENDPOINT')[2]], ['**required**', 'API, workers']);
  assert.equal(row('OCR_LANGUAGES')[1], '`eng+deu+fra+spa+ara`');
  assert.equal(row('CPU_SLOTS')[1], 'one per core');
  assert.equal(row('SMTP_URL')[1], '–');
});
