import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guardOf } from '../../../adapters/browser/screenshots.ts';
import { createAddressGuard } from '../../../adapters/outbound/address-guard.ts';

const INSIDE = '10.1.2.3';
const OUTSIDE = '1.1.1.1';
const allowed = createAddressGuard([INSIDE, OUTSIDE], { plainPublic: true });
const names: Record<string, string[]> = {
  'inside.test': [INSIDE],
  'outside.test': [OUTSIDE],
  'both.test': [INSIDE, OUTSIDE],
};

for (const [url, reachesInside] of [
  ['http://inside.test/', true],
  [`http://${INSIDE}:8080/`, true],
  ['https://outside.test/', false],
  [`https://${OUTSIDE}/`, false],
  ['https://both.test/', false],
  ['https://[2606:4700:4700::1111]/', false],
  ['https://unknown.test/', false],
  ['about:blank', false],
] as const)
  test(`a page of ${url} reaches ${reachesInside ? 'also the networks that are allowed' : 'the internet alone'}`, async () => {
    const guard = await guardOf(url, allowed, async (name) => {
      const found = names[name];
      if (!found) throw new Error('no such name');
      return found.map((address) => ({ address, family: 4 }));
    });
    assert.equal(guard.refuse(INSIDE, true) === undefined, reachesInside);
    assert.equal(guard.refuse(OUTSIDE, false), undefined);
  });
