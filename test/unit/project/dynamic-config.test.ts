import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { DYNAMIC_CONFIG } from '../../../dev/servers/temporal.ts';

test('the flags of the development server match temporal/dynamic-config.yaml', () => {
  const yaml = readFileSync(new URL('../../../temporal/dynamic-config.yaml', import.meta.url), 'utf8');
  const settings = Array.from(
    yaml.matchAll(/^(\S+):\n\s+- value: (\S+)$/gm),
    ([, name, value]) => `${name}=${value}`,
  );
  assert.equal(settings.length, 4);
  assert.deepEqual(
    DYNAMIC_CONFIG.filter((flag) => flag !== '--dynamic-config-value'),
    settings,
  );
});
