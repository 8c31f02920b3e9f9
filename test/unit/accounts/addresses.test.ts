import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { domainName, email } from '../../../domain/schemas/addresses.ts';

test('domain names are stored in lower case and in ASCII', () => {
  for (const [given, stored] of [
    [' Example.COM ', 'example.com'],
    ['Bücher.example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['例え.テスト', 'xn--r8jz45g.xn--zckzah'],
    ['a-b.c1.museum', 'a-b.c1.museum'],
  ]) {
    assert.equal(domainName.parse(given), stored);
  }
});

test('names that are not domain names for mail are rejected', () => {
  const long = `${'a'.repeat(64)}.example`;
  const many = `${'a.'.repeat(130)}example`;
  for (const given of [
    '',
    'localhost',
    '@example.com',
    'me@example.com',
    '*.example.com',
    'https://example.com',
    'example.com/path',
    'example.com.',
    '.example.com',
    'example..com',
    '-a.example',
    'a-.example',
    'a_b.example',
    '192.0.2.1',
    '[::1]',
    '0x7f.1',
    'exa mple.com',
    long,
    many,
  ]) {
    assert.equal(domainName.safeParse(given).success, false, given);
  }
});

test('normalising a stored domain name again does not change it', () => {
  fc.assert(
    fc.property(fc.oneof(fc.domain(), fc.string({ unit: 'grapheme' })), (given) => {
      const { data } = domainName.safeParse(given);
      if (data !== undefined) assert.equal(domainName.parse(data), data);
    }),
  );
});

test('email addresses are stored in lower case', () => {
  for (const [given, stored] of [
    ['  Ada@Example.ORG ', 'ada@example.org'],
    ['ada@example.xn--p1ai', 'ada@example.xn--p1ai'],
    ['r&d=a|b!#$%*?^`{}~@example.org', 'r&d=a|b!#$%*?^`{}~@example.org'],
    ["o'hara+tag@example.org", "o'hara+tag@example.org"],
  ]) {
    assert.equal(email.parse(given), stored);
  }
  for (const given of [
    'ada',
    'ada@',
    '@example.org',
    'ada@localhost',
    'a b@example.org',
    '.ada@example.org',
    'ada..b@example.org',
    '<ada>@example.org',
    '"ada"@example.org',
    'ada@example.org>',
    'ada@b@example.org',
    'ada@192.0.2.1',
    'ada@example..org',
    'ada@straße.example',
    '\u212aim@example.org',
    'ada@\u212aelvin.example',
    `${'a'.repeat(250)}@b.cd`,
  ]) {
    assert.equal(email.safeParse(given).success, false, given);
  }
});

test('every address without quotes is accepted, and normalising it again does not change it', () => {
  fc.assert(
    fc.property(fc.emailAddress(), (given) => {
      assert.equal(email.parse(email.parse(given)), given.toLowerCase());
    }),
  );
});
