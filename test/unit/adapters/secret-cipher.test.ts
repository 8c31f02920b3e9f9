import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { encryptionConfig } from '../../../adapters/encryption/config.ts';
import {
  createSecretCipher,
  EncryptionKeyUnknown,
  SecretUnreadable,
} from '../../../adapters/encryption/secret-cipher.ts';

const key = (id: string, bytes = randomBytes(32)) => ({ id, bytes });
const cipherOf = (current = key('k1'), ...former: ReturnType<typeof key>[]) =>
  createSecretCipher({ ENCRYPTION_KEY: current, ENCRYPTION_FORMER_KEYS: former });

test('a sealed secret opens unchanged, and every sealing is different', () => {
  const cipher = cipherOf();
  fc.assert(
    fc.property(fc.uuid(), fc.string({ unit: 'grapheme' }), (tenant, secret) => {
      const [one, two] = [cipher.seal(tenant, secret), cipher.seal(tenant, secret)];
      assert.equal(cipher.open(tenant, one), secret);
      assert.notEqual(one.sealed, two.sealed);
    }),
  );
});

test('a sealed secret with any bit changed, removed or added is rejected', () => {
  const cipher = cipherOf();
  const { keyId, sealed } = cipher.seal('t', 'the secret');
  const bytes = Buffer.from(sealed, 'base64');
  const open = (changed: Buffer) => cipher.open('t', { keyId, sealed: changed.toString('base64') });
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    assert.throws(() => open(changed), SecretUnreadable);
  }
  for (let length = 0; length < bytes.length; length++) {
    assert.throws(() => open(bytes.subarray(0, length)), SecretUnreadable);
  }
  assert.throws(() => open(Buffer.concat([bytes, Buffer.from('x')])), SecretUnreadable);
});

test('a secret opens only for its tenant', () => {
  const cipher = cipherOf();
  const secret = cipher.seal('tenant-a', 'the secret');
  assert.throws(() => cipher.open('tenant-b', secret), SecretUnreadable);
});

test('another key with the same id, and a lost key, fail with distinct errors', () => {
  const secret = cipherOf(key('k1')).seal('t', 'the secret');
  assert.throws(() => cipherOf(key('k1')).open('t', secret), /cannot be decrypted with key "k1"/);
  assert.throws(() => cipherOf(key('k2')).open('t', secret), EncryptionKeyUnknown);
  assert.throws(() => cipherOf(key('k2')).open('t', secret), /"k1"/);
});

test('a secret stays readable while its key is a former one, through any number of rotations', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 5 }), (secret, rotations) => {
      const keys = Array.from({ length: rotations + 1 }, (_, index) => key(`k${index}`));
      let sealed = cipherOf(keys[0]).seal('t', secret);
      for (let at = 1; at <= rotations; at++) {
        const cipher = cipherOf(keys[at], ...keys.slice(0, at));
        assert.equal(cipher.open('t', sealed), secret);
        sealed = cipher.seal('t', cipher.open('t', sealed));
        assert.equal(sealed.keyId, `k${at}`);
        // The former key is no longer needed.
        assert.equal(cipherOf(keys[at]).open('t', sealed), secret);
      }
    }),
  );
});

test('keys are read from the settings, and malformed ones are rejected', () => {
  const base64 = randomBytes(32).toString('base64');
  const parsed = encryptionConfig.parse({
    ENCRYPTION_KEY: `k3:${base64}`,
    ENCRYPTION_FORMER_KEYS: `k1:${base64}, k2:${base64}`,
  });
  assert.deepEqual(
    [parsed.ENCRYPTION_KEY, ...parsed.ENCRYPTION_FORMER_KEYS].map(({ id }) => id),
    ['k3', 'k1', 'k2'],
  );
  for (const wrong of [
    '',
    base64,
    `k1:${randomBytes(16).toString('base64')}`,
    `k 1:${base64}`,
    `k1:${base64}x`,
  ]) {
    assert.equal(encryptionConfig.safeParse({ ENCRYPTION_KEY: wrong }).success, false, wrong);
    const former = { ENCRYPTION_KEY: `k1:${base64}`, ENCRYPTION_FORMER_KEYS: `k2:${base64},${wrong || 'x'}` };
    assert.equal(encryptionConfig.safeParse(former).success, false, wrong);
  }
});
