import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { partsOfLine } from '../../../engines/text-recogniser/line-parts.ts';
import { splitAtGutter } from '../../../engines/text-recogniser/order-lines.ts';
import { readSequence, wordsOf } from '../../../engines/text-recogniser/read-sequence.ts';
import { findTextBoxes } from '../../../engines/text-recogniser/text-boxes.ts';

const ALPHABET = ['a', 'b', '0', 'l', 'd', ' '];
const BLANK = 0;

/** Probabilities of the classes, step by step; each step gives its best, and what else it has. */
function steps(best: (number | Record<number, number>)[]): Float32Array {
  const classes = ALPHABET.length + 1;
  const values = new Float32Array(best.length * classes);
  for (const [at, step] of best.entries())
    for (const [index, probability] of Object.entries(typeof step === 'number' ? { [step]: 0.9 } : step))
      values[at * classes + Number(index)] = probability;
  return values;
}
const textOf = (values: Float32Array) =>
  readSequence(values, ALPHABET.length + 1, ALPHABET, 1)
    .map(({ text }) => text)
    .join('');

describe('sequences of characters', () => {
  it('repeats a character only where something is between', () => {
    assert.equal(textOf(steps([1, 1, 2, 2])), 'ab');
    assert.equal(textOf(steps([1, BLANK, 1])), 'aa');
  });

  it('has the most of the steps that show a character', () => {
    const [character] = readSequence(steps([{ 1: 0.6 }, { 1: 0.95 }]), ALPHABET.length + 1, ALPHABET, 1);
    assert.ok(Math.abs((character?.probability ?? 0) - 0.6) < 1e-6);
    assert.ok(Math.abs((character?.most ?? 0) - 0.95) < 1e-6);
  });

  it('reads a space that is less probable than nothing, but likely', () => {
    const space = ALPHABET.length;
    assert.equal(textOf(steps([1, { [BLANK]: 0.8, [space]: 0.15 }, 2])), 'a b');
    assert.equal(textOf(steps([1, { [BLANK]: 0.9, [space]: 0.05 }, 2])), 'ab');
    assert.equal(textOf(steps([{ [BLANK]: 0.8, [space]: 0.15 }, 1])), 'a', 'not before the first');
  });

  it('gives words the part of the line that is theirs, and a capital letter for a zero', () => {
    const space = ALPHABET.length;
    const characters = readSequence(steps([3, 4, 5, space, 1, 2]), ALPHABET.length + 1, ALPHABET, 1);
    const words = wordsOf(characters);
    assert.deepEqual(
      words.map(({ text }) => text),
      ['Old', 'ab'],
    );
    const [first, second] = words;
    assert.ok(first && second);
    assert.equal(first.from, 0);
    assert.equal(first.to, second.from);
    assert.ok(Math.abs(first.to - 3.5 / 6) < 0.01, String(first.to));
    assert.equal(second.to, 1);
  });
});

describe('parts of a line that was read quickly', () => {
  /** Characters at equal distances. */
  const partsOf = (line: string, doubtful: (at: number) => boolean = () => false) =>
    partsOfLine(
      [...line].map((text, at) => ({
        text,
        probability: 0.5,
        most: doubtful(at) ? 0.6 : 0.99,
        at: (at + 0.5) / line.length,
      })),
    ).map(({ characters, from, to, isCertain }) => [
      characters.map(({ text }) => text).join(''),
      Math.round(from * line.length * 2) / 2,
      Math.round(to * line.length * 2) / 2,
      isCertain,
    ]);

  it('are words, certain and doubtful ones in turn', () => {
    assert.deepEqual(
      partsOf('one two six ten', (at) => at === 5),
      [
        ['one', 0, 3.5, true],
        [' two', 3.5, 7.5, false],
        [' six ten', 7.5, 15, true],
      ],
    );
  });

  it('are not divided at a doubtful space', () => {
    const parts = partsOf('one two six and ten', (at) => at === 3);
    assert.deepEqual(parts, [
      ['one two', 0, 7.5, false],
      [' six and ten', 7.5, 19, true],
    ]);
  });

  it('are doubtful with a digit, and one with a letter of another script, or if most of a line is', () => {
    assert.deepEqual(partsOf('paid in 1984').at(-1), [' 1984', 7.5, 12, false]);
    assert.deepEqual(partsOf('paid in 年 now'), [['paid in 年 now', 0, 13, false]]);
    assert.deepEqual(partsOf('1 2 3 four').at(-1), [' four', 5.5, 10, true]);
    assert.deepEqual(partsOf('1 2 3 4 5 6 in'), [['1 2 3 4 5 6 in', 0, 14, false]]);
    assert.deepEqual(partsOf(''), [['', 0, 0, false]]);
  });
});

describe('boxes of text', () => {
  const [width, height] = [200, 120];
  /** A map with text where `isText` says so. */
  const map = (isText: (x: number, y: number) => boolean, probability = 0.9) =>
    Float32Array.from({ length: width * height }, (_, at) =>
      isText(at % width, Math.floor(at / width)) ? probability : 0,
    );
  const near = (value: number, expected: number, by: number) =>
    assert.ok(Math.abs(value - expected) <= by, `${value} is not near ${expected}`);

  it('is grown around the core of a level line', () => {
    const [box, ...others] = findTextBoxes(
      map((x, y) => x >= 40 && x < 140 && y >= 50 && y < 60),
      width,
      height,
    );
    assert.ok(box);
    assert.equal(others.length, 0);
    near(box.x, 90, 1);
    near(box.y, 55, 1);
    const grown = (100 * 10 * 1.6) / 110;
    near(box.width, 100 + grown, 1);
    near(box.height, 10 + grown, 1);
    assert.equal(box.angle, 0);
    assert.equal(box.upended, false);
  });

  it('has the angle of slanted text, and stands up for text that runs up', () => {
    const angle = Math.PI / 9;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const slanted = map((x, y) => {
      const [along, across] = [(x - 100) * cos + (y - 60) * sin, (y - 60) * cos - (x - 100) * sin];
      return Math.abs(along) < 45 && Math.abs(across) < 5;
    });
    near(findTextBoxes(slanted, width, height)[0]?.angle ?? NaN, angle, 0.05);
    const [upended] = findTextBoxes(
      map((x, y) => x >= 90 && x < 100 && y >= 20 && y < 100),
      width,
      height,
    );
    assert.ok(upended?.upended);
    assert.ok(upended.width > upended.height);
  });

  it('is drawn around neither specks nor doubtful pixels', () => {
    assert.deepEqual(
      findTextBoxes(
        map((x, y) => x === 5 && y < 6),
        width,
        height,
      ),
      [],
    );
    assert.deepEqual(
      findTextBoxes(
        map((x, y) => x < 90 && y < 10, 0.4),
        width,
        height,
      ),
      [],
    );
  });
});

describe('lines over a gutter', () => {
  const lineOf = (words: readonly { bbox: { x0: number; y0: number; x1: number; y1: number } }[]) => ({
    box: {
      x0: Math.min(...words.map(({ bbox }) => bbox.x0)),
      y0: words[0]?.bbox.y0 ?? 0,
      x1: Math.max(...words.map(({ bbox }) => bbox.x1)),
      y1: words[0]?.bbox.y1 ?? 0,
    },
    letters: 20,
    words,
  });
  const line = (y: number, ...words: [number, number][]) =>
    lineOf(words.map(([x0, x1]) => ({ bbox: { x0, y0: y, x1, y1: y + 20 } })));

  it('are divided, though the page has a number in it and one column is short', () => {
    const long = [0, 30].map((y) => line(y, [0, 180], [186, 400], [425, 600], [606, 800]));
    const left = Array.from({ length: 20 }, (_, at) => line(60 + 30 * at, [0, 180], [186, 400]));
    const right = [60, 90].map((y) => line(y, [425, 600], [606, 800]));
    const number = line(700, [404, 420]);
    const parts = splitAtGutter([...long, ...left, ...right, number], lineOf);
    assert.equal(parts.length, 2 * long.length + left.length + right.length + 1);
  });

  it('of one column are left alone', () => {
    const lines = Array.from({ length: 20 }, (_, at) =>
      line(30 * at, [0, 180 + 7 * at], [192 + 7 * at, 800]),
    );
    assert.equal(splitAtGutter(lines, lineOf).length, lines.length);
  });
});
