import { after, afterEach } from 'node:test';
import { startOwnStack } from '../../support/own-stack.ts';

/** The stack whose engine, object store, database and index the tests in this folder stop. */
export const own = await startOwnStack();
afterEach(async (context) => {
  if ('passed' in context && !context.passed) await own.startStopped();
});
after(() => own.stop());
