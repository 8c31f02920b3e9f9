import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseListing } from '../../../adapters/object-store/parse-listing.ts';

const listing = (inner: string) =>
  `<?xml version="1.0"?>\n<ListBucketResult xmlns="s3">${inner}</ListBucketResult>`;
const object = (key: string) =>
  `<Contents><Key>${key}</Key><ETag>&quot;ab&quot;</ETag><Size>7</Size><Owner><ID>x</ID></Owner></Contents>`;

test('keys stay as they are: of digits, with blanks, signs and letters of any script', () => {
  const keys = ['0012', '1e5', ' a ', 'a+b', 'ü/ß', '&amp;', '100%', 'x<y'];
  const page = parseListing(listing(keys.map((key) => object(encodeURIComponent(key))).join('')));
  assert.deepEqual(
    page?.objects.map(({ key }) => key),
    keys,
  );
  assert.deepEqual(page?.objects[0], { key: '0012', etag: 'ab', sizeBytes: 7 });
  assert.equal(page?.token, undefined);
  assert.equal(parseListing(listing(object('k').replace('ab', 'a\r\nb')))?.objects[0]?.etag, '');
  assert.equal(parseListing(listing(object('a+b')))?.objects[0]?.key, 'a b');
  assert.equal(parseListing(listing(object('100% &amp; &#252;')))?.objects[0]?.key, '100% & ü');
});

test('the token of the next page is before or after the objects', () => {
  const more = '<IsTruncated>true</IsTruncated><NextContinuationToken>a&amp;b</NextContinuationToken>';
  assert.equal(parseListing(listing(`${more}${object('k')}`))?.token, 'a&b');
  assert.equal(parseListing(listing(`${object('k')}${more}`))?.token, 'a&b');
});

test('anything else is no listing', () => {
  for (const text of [
    '',
    '<html></html>',
    listing('<IsTruncated>true</IsTruncated>'),
    listing('<Contents><Key>a</Key></Contents>'),
    listing('<Contents><Key>a</Key><Size>-1</Size></Contents>'),
    listing('<Contents><Size>1</Size></Contents>'),
    listing('<Contents><Key>a'),
  ]) {
    assert.equal(parseListing(text), undefined, text);
  }
});

test('a page of hostile text takes linear time', () => {
  const long = `${listing('')}${'<Contents>'.repeat(400_000)}`;
  assert.equal(parseListing(long), undefined);
  assert.ok(parseListing(listing(object('&'.repeat(4_000_000)))));
});
