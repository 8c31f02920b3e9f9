import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isCommonPassword } from '../../../adapters/common-passwords.ts';
import { refusePassword } from '../../../domain/accounts/password-rules.ts';
import { hashPassword, verifyPassword } from '../../../services/accounts/password.ts';

const refuse = (password: string) =>
  refusePassword(password, { email: 'owner@studio.example', isCommon: isCommonPassword });

test('a password is rejected if its length is out of bounds, if it is the address, or if it is common', () => {
  const table: [string, RegExp | undefined][] = [
    ['', /at least 8/],
    ['1234567', /at least 8/],
    ['ü'.repeat(7), /at least 8/],
    [' '.repeat(8), /at least 8/],
    ['\u00a0\u2003\u200b\u3164'.repeat(2), /at least 8/],
    ['   seven77   ', /at least 8/],
    [' passages ', undefined],
    ['𝒳'.repeat(8), undefined],
    ['x'.repeat(128), undefined],
    ['x'.repeat(129), /at most 128/],
    ['Owner@Studio.example', /address/],
    ['PASSWORD1', /most common/],
    ['correct horse', undefined],
  ];
  for (const [password, reason] of table) {
    if (reason) assert.match(refuse(password) ?? '', reason, password);
    else assert.equal(refuse(password), undefined, password);
  }
});

test('no rule requires certain kinds of characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 24, maxLength: 60 }), (password) => {
      // Normalisation can lengthen a character several times over.
      fc.pre([...password.normalize('NFKC')].length <= 128);
      assert.equal(refuse(`${password}-q8`), undefined);
    }),
  );
});

test('a hash verifies its password in every normalisation and no other password', async () => {
  const hash = await hashPassword('Pa\u0301ssw\u{FF4F}rd');
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.equal(await verifyPassword('P\u00e1ssword', hash), true);
  assert.equal(await verifyPassword('Password', hash), false);
  assert.equal(await verifyPassword('P\u00e1ssword', null), false);
  assert.equal(await verifyPassword('P\u00e1ssword', 'no hash'), false);
});
