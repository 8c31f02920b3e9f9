import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { chargesFor, creditsFor, includedBefore, settlement } from '../../../domain/accounts/credits.ts';
import { AppError } from '../../../domain/app-error.ts';
import { retryComponents } from '../../../domain/retry-components.ts';
import type { ProcessingRequest } from '../../../domain/pipelines/triggers.ts';
import {
  initialComponents,
  outstanding,
  withRequestedSteps,
  type ComponentName,
  type ComponentState,
} from '../../../domain/components.ts';
import { CONTENT_TYPES, MEDIA_TYPES } from '../../../domain/media.ts';
import {
  componentsOf,
  dependenciesOf,
  findStep,
  isFirstStep,
  isLastStep,
  pipelineOf,
  stepsOf,
} from '../../../domain/pipelines/index.ts';

const withPipeline = MEDIA_TYPES.filter((mediaType) => pipelineOf(mediaType));

for (const mediaType of withPipeline) {
  test(`each activity occurs once in the ${mediaType} pipeline and can be looked up`, () => {
    for (const { name, steps } of componentsOf(mediaType)) {
      for (const step of steps) {
        const found = findStep(mediaType, step.activity);
        assert.deepEqual([found?.component.name, found?.step], [name, step]);
      }
      assert.equal(
        steps.filter(({ activity }) => isFirstStep({ mediaType, components: {} }, activity)).length,
        1,
      );
      assert.equal(
        steps.filter(({ activity }) => isLastStep({ mediaType, components: {} }, activity)).length,
        1,
      );
    }
  });

  test(`each component of the ${mediaType} pipeline depends only on earlier ones`, () => {
    const names = componentsOf(mediaType).map(({ name }) => name);
    for (const [index, name] of names.entries()) {
      for (const upstream of dependenciesOf(mediaType, name)) {
        assert.ok(names.slice(0, index).includes(upstream), `${name} depends on ${upstream}`);
      }
    }
  });
}

test('a description consists of reading text, describing and indexing, in this order', () => {
  assert.deepEqual(
    stepsOf({ mediaType: 'image', components: {} }, 'description').map(({ activity }) => activity),
    ['readText', 'describeImage', 'indexImage'],
  );
});

test('an extraction has exactly the requested steps, and at least one', () => {
  fc.assert(
    fc.property(
      fc.record({
        autoDescribe: fc.boolean(),
        contentCategory: fc.constantFrom('general', 'pid', 'auto'),
        compliance: fc.constantFrom(undefined, {
          type: 'mls',
          standard: 'general',
          imageType: 'main',
        } as const),
        customSchemaId: fc.constantFrom(undefined, '5f1c8d2b-7e40-4b2e-9f9a-7c1d4e589a36'),
      }),
      ({ compliance, customSchemaId, ...rest }) => {
        const request = {
          ...rest,
          ...(compliance && { compliance }),
          ...(customSchemaId && { customSchemaId }),
        };
        const components = initialComponents('image', request);
        const expected = [
          ...(rest.autoDescribe && rest.contentCategory !== 'general' ? ['extractDomains'] : []),
          ...(customSchemaId ? ['extractBySchema'] : []),
          ...(compliance ? ['checkCompliance'] : []),
        ];
        const file = { mediaType: 'image', components };
        const asked = components.extraction?.status === 'pending';
        assert.equal(asked, expected.length > 0);
        if (!asked) return;
        const steps = stepsOf(file, 'extraction').map(({ activity }) => activity);
        assert.deepEqual(steps, expected);
        assert.ok(isFirstStep(file, steps[0] ?? '') && isLastStep(file, steps.at(-1) ?? ''));
        const { components: again } = retryComponents(file, ['extraction']);
        assert.deepEqual(stepsOf({ ...file, components: again }, 'extraction'), stepsOf(file, 'extraction'));
      },
    ),
  );
});

test('a component requested by name gets the steps of its category, unless the upload requested other ones', () => {
  const steps = (request: ProcessingRequest) => {
    const { components } = retryComponents(
      { mediaType: 'image', components: initialComponents('image', request) },
      ['extraction'],
    );
    const asked = withRequestedSteps({ mediaType: 'image', components }, ['extraction'], request);
    return stepsOf({ mediaType: 'image', components: asked }, 'extraction').map(({ activity }) => activity);
  };
  const compliance = { type: 'mls', standard: 'general', imageType: 'main' } as const;
  assert.deepEqual(steps({ autoDescribe: false, contentCategory: 'pid' }), ['extractDomains']);
  assert.deepEqual(steps({ autoDescribe: false, contentCategory: 'pid', compliance }), ['checkCompliance']);
  assert.deepEqual(steps({ autoDescribe: true, contentCategory: 'general' }), []);
});

test('a medium without a pipeline is rejected, not completed', () => {
  const without = MEDIA_TYPES.filter((mediaType) => !withPipeline.includes(mediaType));
  for (const mediaType of [...without, 'unheard']) {
    assert.throws(
      () => initialComponents(mediaType, { autoDescribe: true }),
      (error) => error instanceof AppError && error.code === 'UNSUPPORTED_MEDIA',
    );
  }
});

test('every accepted content type has a pipeline', () => {
  for (const { mediaType } of Object.values(CONTENT_TYPES)) assert.ok(pipelineOf(mediaType));
});

test('components run in pipeline order, whatever their order in the row', () => {
  const components = { description: { status: 'pending' }, variant: { status: 'pending' } } as const;
  assert.deepEqual(outstanding({ mediaType: 'image', components }), ['variant', 'description']);
});

test('an image costs one credit, which is spent once its description is completed', () => {
  assert.deepEqual([creditsFor('image'), creditsFor('image', ['variant'])], [1, 0]);
  const settled = (description: 'completed' | 'failed') =>
    settlement(
      {
        mediaType: 'image',
        components: { variant: { status: 'completed' }, description: { status: description } },
      },
      chargesFor('image'),
    );
  assert.deepEqual([settled('completed'), settled('failed')], ['spend', 'refund']);
});

for (const [what, request, asked] of [
  ['a plain upload', { autoDescribe: true }, ['variant', 'description']],
  ['no description', { autoDescribe: false }, ['variant']],
  ['a category', { autoDescribe: true, contentCategory: 'pid' }, ['variant', 'description', 'extraction']],
  ['a category without a description', { autoDescribe: false, contentCategory: 'pid' }, ['variant']],
  [
    'a compliance check alone',
    { autoDescribe: false, compliance: { type: 'mls', standard: 'general', imageType: 'main' } },
    ['variant', 'extraction'],
  ],
  [
    'a saved schema',
    { autoDescribe: true, customSchemaId: '5f1c8d2b-7e40-4b2e-9f9a-7c1d4e589a36' },
    ['variant', 'description', 'extraction'],
  ],
] as const) {
  test(`${what} requests ${asked.join(', ')} and costs at most one credit`, () => {
    const components = initialComponents('image', request);
    assert.deepEqual(outstanding({ mediaType: 'image', components }), asked);
    assert.equal(creditsFor('image', asked), asked.length > 1 ? 1 : 0);
    for (const name of ['variant', 'description', 'extraction'] as const) {
      const left = !asked.some((one) => one === name);
      assert.equal(components[name]?.cause, left ? 'by_request' : undefined);
    }
  });
}

const ENDS = ['completed', 'failed', 'skipped'] as const;

test('a reservation is spent when the components that it pays for are completed, whatever happens to others', () => {
  const names = ['description', 'extraction'] as const;
  fc.assert(
    fc.property(
      fc.subarray([...names]),
      fc.record({ description: fc.constantFrom(...ENDS), extraction: fc.constantFrom(...ENDS) }),
      fc.constantFrom('upload', 'session', 'analysis'),
      (processed, status, origin) => {
        const components = {
          variant: { status: 'completed' },
          description: { status: status.description },
          extraction: { status: status.extraction },
        } as const;
        const charges = chargesFor('image', processed, origin);
        const [charged] = processed;
        const expected = charged && status[charged] === 'completed' ? 'spend' : 'refund';
        assert.equal(settlement({ mediaType: 'image', components }, charges), expected);
      },
    ),
  );
});

test('a video costs two credits including its description, and a repeated description costs one', () => {
  assert.deepEqual(
    [creditsFor('video'), creditsFor('video', ['video_analysis']), creditsFor('video', ['description'])],
    [2, 2, 1],
  );
  const settled = (video_analysis: 'completed' | 'failed', description: (typeof ENDS)[number]) => {
    const components = { video_analysis: { status: video_analysis }, description: { status: description } };
    const settle = (...names: ComponentName[]) =>
      settlement({ mediaType: 'video', components }, chargesFor('video', names));
    return [settle('video_analysis', 'description'), settle('video_analysis'), settle('description')];
  };
  assert.deepEqual(settled('completed', 'completed'), ['spend', 'spend', 'spend']);
  assert.deepEqual(settled('completed', 'failed'), ['spend', 'spend', 'refund']);
  assert.deepEqual(settled('completed', 'skipped'), ['spend', 'spend', 'refund']);
  assert.deepEqual(settled('failed', 'skipped'), ['refund', 'refund', 'refund']);
});

test('the extraction by a schema does not affect the credits of a document', () => {
  const components = {
    text_extraction: { status: 'completed' },
    digitization: { status: 'completed' },
    description: { status: 'completed' },
    extraction: { status: 'failed' },
  } as const;
  assert.equal(settlement({ mediaType: 'document', components }, chargesFor('document')), 'spend');
});

test('a component included in a spent credit is repeated without another one, if it was requested at first', () => {
  const before = (description: 'completed' | 'failed', extraction: ComponentState) =>
    includedBefore({ mediaType: 'image', components: { description: { status: description }, extraction } }, [
      'description',
      'extraction',
    ]);
  assert.deepEqual(before('completed', { status: 'failed' }), ['extraction']);
  assert.deepEqual(before('completed', { status: 'skipped', cause: 'cancelled' }), ['extraction']);
  assert.deepEqual(before('completed', { status: 'completed' }), []);
  assert.deepEqual(before('completed', { status: 'skipped', cause: 'by_request' }), []);
  assert.deepEqual(before('failed', { status: 'failed' }), []);
});
