import { after, before } from 'node:test';
import { startDisposableStack } from '../../dev/launcher/disposable-stack.ts';
import type { Stack } from '../../dev/launcher/stack.ts';
import { createClient } from '../support/api.ts';
import { testCommand } from './smoke.ts';
import { ON_A_STACK } from './table.ts';

let stack: Stack;
before(async () => {
  stack = await startDisposableStack(process.env);
});
after(() => stack.stop({ keepData: false }));

/** One of the files that the previous command sent. */
async function anyFile(): Promise<string> {
  const { body } = await createClient(stack.runInfo).get('/files?limit=1');
  return body.items[0].id;
}

for (const [name, smoke] of Object.entries(ON_A_STACK)) {
  testCommand(
    name,
    async () => (typeof smoke === 'function' ? smoke(await anyFile()) : smoke),
    () => ({ DARKROOM_HOME: stack.home, XDG_STATE_HOME: stack.home }),
  );
}
