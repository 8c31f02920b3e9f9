import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../../../cli/shared/usage-error.ts';
import { explainFailure } from '../../../cli/shared/run-command.ts';
import { EngineUnavailable } from '../../../temporal/client.ts';

test('an expected error is explained in one line', () => {
  assert.equal(explainFailure(new UsageError('No folder given.')), 'No folder given.');
  assert.equal(
    explainFailure(new Error('x', { cause: new EngineUnavailable('14 UNAVAILABLE') })),
    'The workflow engine cannot be reached. Is the stack running? Start it with npm start.',
  );
});

test('an unexpected error is printed with its stack trace', () => {
  const defect = new TypeError('id is undefined');
  assert.equal(explainFailure(defect), defect.stack);
});
