/** Recognised lines in the font of a typewriter: all of its signs take equally much room. */
import { median, overlapX, widthOf } from '../layout/geometry.ts';
import type { Run, Segment } from '../layout/page-parts.ts';
import { toSegments } from '../layout/segments.ts';

/** Mean relative errors of the room that a line's signs take: of one that proves it, and of one or of a word beside such a line. */
const EXACT = 0.0065;
const ROUGH = 0.04;
const ROUGH_WORD = 0.02;
/** Mean distance of its words from places of signs, in signs; of words at any place, it is a quarter. */
const IN_PLACE = 0.2;
const ROUGHLY_IN_PLACE = 0.22;
/** What a line needs to prove it: digits are equally wide in most fonts. */
const FEWEST_WORDS = 2;
const FEWEST_LETTERS = 8;
/**
 * A line of fewer words or letters, or of signs as wide as those of the page are on the average, needs another one with
 * equal signs beside it, up to this difference.
 */
const TELLING = { words: 3, letters: 15 } as const;
const UNUSUAL = 0.08;
const ALIKE = 0.02;
/** Room of a sign, in heights of the font as it is measured. */
const ROOM = { least: 0.4, most: 0.8 } as const;
/** Of most such fonts, in heights of the font: better told by it than by the height of letters. */
const USUAL_ROOM = 0.6;
/** Lines of one listing, which may be indented, are nearer than this, in heights of the font. */
const NEAR = 4;
/** What signs leave free on each side, as a share of their room. */
const MARGIN = 0.12;
const MARGIN_OF_MARK = 0.32;
const MARK = /[.,:;'"!|`()[\]{}]/;
/** A word is measured up to this share of a sign. */
const UNSURE = 0.15;

/** Finds the words of lines that prove to be monospaced, and of the lines beside them whose signs are as wide. */
export function markMonospaced(runs: readonly Run[]): Run[] {
  const lines = toSegments(runs);
  const usual = median(lines.map(roomOfLine));
  const proofs = lines.flatMap((line) => {
    const room = roomOfLine(line);
    return proves(line, room) ? [{ line, room }] : [];
  });
  const known = proofs.filter(({ line, room }) => {
    const others = proofs.filter((other) => other.line !== line && isBeside(line, other.line));
    const isTelling = line.runs.length >= TELLING.words && lettersOf(line) >= TELLING.letters;
    return (
      others.some((other) => Math.abs(other.room / room - 1) < ALIKE) ||
      (isTelling && Math.abs(room / usual - 1) > UNUSUAL)
    );
  });
  const rooms = new Map(known.map(({ line, room }) => [line, room]));
  // Lines of numbers prove nothing by themselves.
  for (const line of lines) {
    const same = known.find(({ room }) => line.runs.length >= FEWEST_WORDS && fits(line, room));
    if (same && !rooms.has(line)) rooms.set(line, same.room);
  }
  // Grows while it is walked.
  for (const [line, room] of rooms)
    for (const other of lines)
      if (!rooms.has(other) && isBeside(line, other) && goesOn(other, room)) rooms.set(other, room);
  const roomOf = new Map([...rooms].flatMap(([{ runs }, room]) => runs.map((run) => [run, room])));
  return runs.map((run) => {
    const room = roomOf.get(run);
    return room === undefined ? { ...run, monospaced: false } : inPlace(run, room);
  });
}

/** A word with the room of all its signs, and the size that they tell. */
function inPlace(run: Run, room: number): Run {
  const x0 = run.x0 - marginOf(run.text[0]) * room;
  return { ...run, x0, x1: x0 + run.text.length * room, size: room / USUAL_ROOM, monospaced: true };
}

/** Whether the signs of a line beside are as wide. */
const goesOn = (line: Segment, room: number): boolean =>
  line.runs.length === 1
    ? errorOf(line, room) < ROUGH_WORD
    : errorOf(line, room) < ROUGH && distanceFromPlaces(line, room) < ROUGHLY_IN_PLACE;

const roomOfLine = ({ runs }: Segment): number =>
  median(runs.flatMap((run) => Array.from({ length: run.text.length }, () => roomIn(run))));

function proves(line: Segment, room: number): boolean {
  const relative = room / line.size;
  return (
    line.runs.length >= FEWEST_WORDS &&
    lettersOf(line) >= FEWEST_LETTERS &&
    relative > ROOM.least &&
    relative < ROOM.most &&
    fits(line, room)
  );
}

const fits = (line: Segment, room: number): boolean =>
  errorOf(line, room) < EXACT && distanceFromPlaces(line, room) < IN_PLACE;

/** The mean over the signs of a line. */
function errorOf({ runs }: Segment, room: number): number {
  let [sum, signs] = [0, 0];
  for (const run of runs) {
    const { length } = run.text;
    sum += length * Math.max(0, Math.abs(roomIn(run) / room - 1) - UNSURE / length);
    signs += length;
  }
  return sum / signs;
}

/** The mean over the words of a line but the first. */
function distanceFromPlaces({ runs }: Segment, room: number): number {
  const places = runs.map(({ x0, text }) => x0 / room - marginOf(text[0]));
  const steps = places.slice(1).map((place, at) => place - (places[at] ?? 0));
  return steps.reduce((sum, step) => sum + Math.abs(step - Math.round(step)), 0) / steps.length;
}

const roomIn = (run: Run): number =>
  widthOf(run) / (run.text.length - marginOf(run.text[0]) - marginOf(run.text.at(-1)));
const marginOf = (sign = ''): number => (MARK.test(sign) ? MARGIN_OF_MARK : MARGIN);

/** Those of scripts whose letters are not equally wide in most fonts. */
const lettersOf = ({ text }: Segment): number =>
  text.match(/[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]/gu)?.length ?? 0;

const isBeside = (one: Segment, other: Segment): boolean =>
  overlapX(one, other) > -NEAR * one.size && Math.abs(one.baseline - other.baseline) < NEAR * one.size;
