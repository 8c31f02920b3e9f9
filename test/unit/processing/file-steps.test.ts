import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  FILE_STEPS,
  isFileStep,
  isFirstStep,
  isLastStep,
  stepsOf,
} from '../../../temporal/contract/file-steps.ts';

test('every step belongs to one component, which has one first and one last step', () => {
  const steps = Object.keys(FILE_STEPS).filter(isFileStep);
  const components = new Set(steps.map((step) => FILE_STEPS[step].component));
  assert.deepEqual([...components].flatMap((component) => stepsOf(component)).toSorted(), steps.toSorted());
  assert.equal(steps.filter(isFirstStep).length, components.size);
  assert.equal(steps.filter(isLastStep).length, components.size);
});

test('text is read before the description is made, which is indexed last', () => {
  assert.deepEqual(stepsOf('description'), ['readText', 'describeImage', 'indexImage']);
});
