import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  acceptedCanonical,
  domainOf,
  linkFilename,
  linkOriginal,
  normalizeLink,
} from '../../../domain/links/web-link.ts';

for (const [given, expected] of [
  ['HTTP://Example.ORG', 'http://example.org/'],
  [' https://example.org:443/a/../b?x=1#top ', 'https://example.org/b?x=1'],
  ['https://example.org/?utm_source=a&b=2&fbclid=z&a=1', 'https://example.org/?b=2&a=1'],
  ['https://example.org/?utm_source=a', 'https://example.org/'],
  ['https://example.org/?a=%20+&b', 'https://example.org/?a=%20+&b'],
  ['https://example.org/??', 'https://example.org/??'],
  ['https://bücher.example/ä', 'https://xn--bcher-kva.example/%C3%A4'],
  ['ftp://example.org/', undefined],
  ['https://a:b@example.org/', undefined],
  ['example.org', undefined],
  ['', undefined],
  [`https://example.org/${'a'.repeat(2048)}`, undefined],
] as const) {
  test(`the normal form of ${given.slice(0, 60)} is ${expected}`, () => {
    assert.equal(normalizeLink(given), expected);
  });
}

test('normalising a normal form does not change it', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
      const once = normalizeLink(url);
      assert.equal(once === undefined ? undefined : normalizeLink(once), once);
    }),
  );
});

for (const [found, named, expected] of [
  ['https://www.example.org/a?x=1', '/a', 'https://www.example.org/a'],
  ['https://www.example.org/a', 'https://example.org/b', 'https://example.org/b'],
  ['https://m.example.org/a', 'https://example.org/a', 'https://m.example.org/a'],
  ['https://evil.github.io/p', 'https://github.io/x', 'https://evil.github.io/p'],
  ['https://example.org:8443/a', 'https://example.org/a', 'https://example.org:8443/a'],
  ['http://example.org/a', 'https://www.example.org/a', 'https://www.example.org/a'],
  ['https://example.org/a', '/', 'https://example.org/a'],
  ['https://example.org/?from=x', '/', 'https://example.org/'],
  ['https://example.org/a', 'https://bank.example/', 'https://example.org/a'],
  ['https://notexample.org/a', 'https://example.org/', 'https://notexample.org/a'],
  ['https://example.org/a#x', undefined, 'https://example.org/a'],
] as const) {
  test(`a page at ${found} whose canonical URL is ${named} is ${expected}`, () => {
    assert.equal(acceptedCanonical(found, named), expected);
  });
}

test('a link has a domain, a file name and an original', () => {
  assert.equal(domainOf('https://www.example.org:8443/a'), 'example.org');
  assert.equal(linkFilename('https://example.org/a%2Fb/c.html?d'), 'example.org-a-b-c.html');
  assert.equal(linkFilename('https://example.org/%ff'), 'example.org-%ff');
  assert.equal(Buffer.from(linkOriginal('https://example.org/')).toString(), 'https://example.org/\r\n');
});
