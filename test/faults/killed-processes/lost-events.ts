import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '../../support/api.ts';
import { createDueWork, lyingEngine } from '../../support/due-work.ts';
import { own } from './stack.ts';

/** Events that the engine has confirmed and lost, one of each kind: nothing but the sweep repeats them. */
const { kinds } = createDueWork(own);

// At once, as each waits for the sweep.
describe(
  'an event that the engine has confirmed and lost reaches the workflow',
  { concurrency: true },
  () => {
    for (const [event, { entity, make, isRead }] of Object.entries(kinds)) {
      test(event, async () => {
        const id = await make(await own.newTenant(), lyingEngine(own.engine, 'every workflow'));
        const row = () => own.orm.em.fork().findOneOrFail(entity, { id });
        await eventually(async () => assert.ok(isRead(await row())), 60);
      });
    }
  },
);
