import assert from 'node:assert/strict';
import { test } from 'node:test';
import { creditsFor, LEVEL_CREDITS } from '../../../domain/accounts/credits.ts';
import { openApiDocument } from '../../../api/openapi/document.ts';
import { ROUTES } from '../../../api/routes/index.ts';
import { guidePage } from '../../../api/openapi/guide-pages.ts';
import type { Json } from '../../support/api.ts';

/** The texts of the OpenAPI document. */
const document: Json = openApiDocument(ROUTES);
const operations = Object.values<Json>(document.paths).flatMap((path) => Object.values<Json>(path));

test('legacy operations are deprecated, and the last group', () => {
  assert.equal(document.tags.at(-1).name, 'Legacy');
  const tags = new Set(document.tags.map(({ name }: Json) => name));
  for (const { operationId, deprecated = false, tags: given } of operations) {
    assert.equal(deprecated, operationId.startsWith('legacy'), operationId);
    assert.equal(given[0] === 'Legacy', deprecated, operationId);
    assert.ok(tags.has(given[0]), operationId);
  }
  const current: Json = openApiDocument(ROUTES.filter(({ deprecated }) => !deprecated));
  assert.ok(!JSON.stringify(current).includes('"Legacy'));
});

test('every operation describes its effect, its cost and its limits', () => {
  for (const { operationId, description } of operations) {
    const [what = '', ...rest] = description.split('\n\n');
    assert.match(what, /^[A-Z].*\.$/s, operationId);
    assert.match(rest.join('\n'), /^\*\*Cost\*\*: .*\.$/m, operationId);
    assert.match(rest.join('\n'), /^\*\*Limits\*\*: .*\.$/m, operationId);
    assert.match(rest.at(-1), /^Needs /, operationId);
  }
});

/** Operations that wait for credits instead, or fail later without them. */
const PAUSED_WITHOUT_CREDITS = ['createImport', 'reprocessFiles', 'splitDocument'];

test('an operation has a cost exactly if it is refused without credits, or waits for them', () => {
  for (const route of ROUTES) {
    assert.equal(
      route.cost !== undefined,
      (route.errors?.includes('QUOTA_EXHAUSTED') ?? false) ||
        PAUSED_WITHOUT_CREDITS.includes(route.operationId),
      route.operationId,
    );
  }
});

test('costs are taken from the tables of credits', () => {
  const cost = (id: string) => operations.find(({ operationId }) => operationId === id).description;
  assert.match(cost('uploadFile'), new RegExp(`${creditsFor('image')} credit for an image`));
  for (const [level, credits] of Object.entries(LEVEL_CREDITS))
    assert.match(cost('extractData'), new RegExp(`${level} ${credits}`));
});

/** How an accepted request can be followed: a path to poll, or an email. */
const FOLLOWED_BY = /`GET (\/[\w/{}?=-]+)`|an email is on its way/g;

test('every operation that responds with 202 describes how to follow the work', () => {
  const accepting = operations.filter(({ responses }) => responses[202]);
  assert.ok(accepting.length > 10);
  for (const { operationId, description, responses } of accepting) {
    assert.notEqual(responses[202].description, 'Accepted; work continues in the background', operationId);
    const [, sentence = ''] = /^\*\*202\*\*: (.*)$/m.exec(description) ?? [];
    const paths = [...sentence.matchAll(FOLLOWED_BY)];
    assert.ok(paths.length > 0, operationId);
    for (const [, path] of paths)
      if (path) assert.ok(document.paths[path.split('?')[0] ?? '']?.get, `${operationId}: ${path}`);
  }
});

test('the page begins with how to get a key, and its links lead to served pages', () => {
  const { description } = document.info;
  assert.ok(description.indexOf('**A key.**') < 400);
  const links = [...description.matchAll(/\]\(docs\/([^)#]+)(?:#([\w-]+))?\)/g)];
  assert.ok(links.length >= 5);
  for (const [, path = '', anchor] of links) {
    const page = guidePage(path);
    assert.ok(page, path);
    if (anchor) assert.ok(page.includes(` id="${anchor}"`), anchor);
  }
  assert.equal(guidePage('runbook.md'), undefined);
  assert.equal(guidePage('../package.json'), undefined);
  // Links to pages that are not served become text.
  assert.ok(!/href="(?!https?:|#|[\w/.-]+\.md)/.test(guidePage('api-guide.md') ?? ''));
});
