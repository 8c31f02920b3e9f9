import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contentOf, contentSentence, contentTags } from '../../../adapters/models/sight/content-words.ts';
import { nameClasses } from '../../../adapters/models/sight/image-classes.ts';
import { findObjects } from '../../../adapters/models/sight/find-objects.ts';
import type { Seen } from '../../../adapters/models/sight/thread.ts';

const ANCHORS = 1917;
const WIDTH = 95;
const PERSON = 1;
const DOG = 18;
/** Of the classifier. */
const GORILLA = 366;
const KING_PENGUIN = 145;
/** The whole image, and its left half. */
const WHOLE = [0, 0, 1, 1];
const LEFT = [0, 0, 1, 0.5];

/** An answer of the detector with these scores at the first anchors. */
function answerOf(rows: { anchor: number[]; number: number; score: number; offsets?: number[] }[]) {
  const answer = new Float32Array(ANCHORS * WIDTH);
  const anchors = new Float32Array(ANCHORS * 4);
  for (const [at, { anchor, number, score, offsets = [0, 0, 0, 0] }] of rows.entries()) {
    anchors.set(anchor, at * 4);
    answer.set(offsets, at * WIDTH);
    answer[at * WIDTH + 5 + number - 1] = score;
  }
  return [answer, anchors] as const;
}

describe('objects of the detector', () => {
  it('has the box of its anchor, moved and scaled by the offsets, within the image', () => {
    const [answer, anchors] = answerOf([
      { anchor: LEFT, number: DOG, score: 0.8 },
      { anchor: LEFT, number: PERSON, score: 0.7, offsets: [0, 5, 0, Math.log(2) / 0.2] },
    ]);
    const [dog, person] = findObjects(answer, anchors, 0.5);
    assert.deepEqual(dog, { label: 'dog', score: 0.8, box: { xMin: 0, yMin: 0, xMax: 0.5, yMax: 1 } });
    // Its middle by half of the width of the anchor to the right, twice as wide.
    assert.deepEqual(person, { label: 'person', score: 0.7, box: { xMin: 0, yMin: 0, xMax: 1, yMax: 1 } });
  });

  it('counts an object once whose boxes overlap, and two of different names at one place twice', () => {
    const [answer, anchors] = answerOf([
      { anchor: WHOLE, number: DOG, score: 0.7 },
      { anchor: [0, 0, 1, 0.9], number: DOG, score: 0.9 },
      { anchor: WHOLE, number: PERSON, score: 0.6 },
      { anchor: LEFT, number: PERSON, score: 0.4 },
    ]);
    const found = findObjects(answer, anchors, 0.5).map(({ label, score }) => `${label} ${score}`);
    assert.deepEqual(found, ['dog 0.9', 'person 0.6']);
  });
});

const LARGE = { xMin: 0, yMin: 0, xMax: 1, yMax: 1 };
const SMALL = { xMin: 0, yMin: 0, xMax: 0.2, yMax: 0.2 };
const seen = (change: Partial<Seen>): Seen => ({
  classes: [],
  groups: [],
  objects: [],
  probabilities: new Float32Array(),
  features: new Float32Array(),
  ...change,
});
const labels = (change: Partial<Seen>, graphic = false) =>
  contentOf(seen(change), { graphic }).objects.map(({ label }) => label);

describe('what is said of a picture', () => {
  const bird = { label: 'bird', score: 0.95, box: LARGE };

  it('names a large object only if the classifier sees it, too', () => {
    assert.deepEqual(labels({ objects: [bird], groups: [{ name: 'bird', probability: 0.4 }] }), ['bird']);
    assert.deepEqual(labels({ objects: [bird], groups: [{ name: 'snail', probability: 0.4 }] }), []);
    const both = [
      { name: 'rabbit', probability: 0.3 },
      { name: 'bird', probability: 0.2 },
    ];
    assert.deepEqual(labels({ objects: [bird], groups: both }), [], 'another animal is likelier');
  });

  it('names no animal where the classifier sees another, also one that it is not sure enough of to name', () => {
    const small = { ...bird, box: SMALL };
    for (const [probability, said] of [
      [0.57, []],
      [0.4, ['bird']],
    ] as const)
      assert.deepEqual(labels({ objects: [small], groups: [{ name: 'fish', probability }] }), said);
  });

  it('says nothing of what is often mistaken: round things, leaves, and whales for fish', () => {
    const umbrella = { label: 'umbrella', score: 0.95, box: SMALL };
    assert.deepEqual(labels({ objects: [umbrella] }), []);
    assert.deepEqual(labels({ objects: [umbrella], classes: [{ name: 'umbrella', probability: 0.4 }] }), [
      'umbrella',
    ]);
    const broccoli = { label: 'broccoli', score: 0.9, box: LARGE };
    assert.deepEqual(labels({ objects: [broccoli], classes: [{ name: 'broccoli', probability: 0.75 }] }), []);
    const groups = ['fish', 'bird'].map((name) => ({ name, probability: 0.6 }));
    assert.deepEqual(contentOf(seen({ groups }), { graphic: false }).looksLike, ['bird']);
  });

  it('names small objects, people and furniture by the detector alone', () => {
    const objects = [
      { label: 'bird', score: 0.8, box: SMALL },
      { label: 'person', score: 0.65, box: LARGE },
      { label: 'dining table', score: 0.75, box: LARGE },
    ];
    assert.deepEqual(labels({ objects }), ['bird', 'person', 'dining table']);
  });

  it('says less of drawings', () => {
    const objects = [{ label: 'bird', score: 0.8, box: SMALL }];
    assert.deepEqual(labels({ objects }, true), []);
  });

  it('names a zebra although the group of its class is that of horses', () => {
    const zebra = { label: 'zebra', score: 0.9, box: LARGE };
    assert.deepEqual(labels({ objects: [zebra], groups: [{ name: 'horse', probability: 0.9 }] }), ['zebra']);
  });

  it('names an ape an ape, and a penguin although its species is unsure', () => {
    const groupsOf = (at: number) =>
      nameClasses(Array.from({ length: 1000 }, (_, index) => (index === at ? 0.6 : 0)))
        .groups.filter(({ probability }) => probability > 0)
        .map(({ name }) => name);
    assert.deepEqual(groupsOf(GORILLA), ['ape']);
    assert.deepEqual(groupsOf(KING_PENGUIN), ['bird', 'penguin']);
  });

  it('names no cow where the classifier sees a bison', () => {
    const cow = { label: 'cow', score: 0.9, box: SMALL };
    assert.deepEqual(labels({ objects: [cow], groups: [{ name: 'bison', probability: 0.9 }] }), []);
  });

  it('names the kind of an animal sooner than its species', () => {
    const animal = seen({
      classes: [{ name: 'tabby', probability: 0.7 }],
      groups: [{ name: 'cat', probability: 0.9 }],
    });
    assert.deepEqual(contentOf(animal, { graphic: false }).looksLike, ['cat']);
  });

  it('counts objects in a sentence and gives tags synonyms', () => {
    const content = {
      objects: ['cup', 'person', 'person', 'couch'].map((label) => ({ label, score: 0.9, box: SMALL })),
      looksLike: ['coffee', 'cup'],
    };
    assert.equal(contentSentence(content), 'Shows a cup, two people, and a couch; looks like coffee.');
    assert.deepEqual(contentTags(content), [
      'cup',
      'person',
      'couch',
      'coffee',
      'mug',
      'people',
      'sofa',
      'settee',
    ]);
    assert.equal(contentSentence({ objects: [], looksLike: [] }), '');
  });
});
