import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { limitedCommand } from '../../../../engines/hosts/limited-command.ts';

const isLinux = process.platform === 'linux';

test('the kernel limits the program and its children', { skip: !isLinux && 'only Linux has limits' }, () => {
  const limits = { fileBytes: 4096, addressSpaceBytes: 2 ** 30, cpuSeconds: 6.2 };
  const [command, args] = limitedCommand(limits, ['nice', '-n', '0', 'cat', '/proc/self/limits']);
  const table = execFileSync(command, args, { encoding: 'utf8' });
  const limitOf = (name: string) => new RegExp(`^Max ${name} +(\\S+) +(\\S+)`, 'm').exec(table)?.slice(1);
  assert.deepEqual(limitOf('file size'), ['4096', '4096']);
  assert.deepEqual(limitOf('address space'), [String(2 ** 30), String(2 ** 30)]);
  assert.deepEqual(limitOf('core file size'), ['0', '0']);
  assert.equal(limitOf('cpu time')?.[0], '7');
});

test('the program has a lower priority', () => {
  const [command, args] = limitedCommand({ fileBytes: 0 }, ['nice']);
  assert.equal(execFileSync(command, args, { encoding: 'utf8' }), `${getPriority() + 5}\n`);
});
