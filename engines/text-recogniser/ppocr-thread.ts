/** The module of the threads that find and read lines of text with the models of PP-OCR. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import protobuf from 'protobufjs';
import sharp from 'sharp';
import { openSession, openOnce, type ModelSession } from '../onnx/session.ts';
import { hasRareLetter, partsOfLine } from './line-parts.ts';
import { blocksOf, orderLines, splitAtGutter } from './order-lines.ts';
import { findTurns } from './page-turns.ts';
import { placeWord } from './place-word.ts';
import { readSequence, wordsOf, type ReadCharacter } from './read-sequence.ts';
import { cutStrip, STRIP_HEIGHT, type Strip } from './strip.ts';
import { findTextBoxes, type TextBox } from './text-boxes.ts';
import type { ReadableImage, Turns } from './text-recogniser.ts';
import type { RecognisedWord } from './text-regions.ts';

export interface PpocrRequest {
  /** Folders of the models. */
  detection: string;
  recognition: string;
  /** Of a model that reads most lines for a fifth of the cost; undefined if it is not there. */
  quickRecognition: string | undefined;
  image: ReadableImage;
  /** Lines that are read, the longest ones; none if they are only to be found. */
  mostLines: number;
}
/** A page whose turns are wanted, with the folder of their model. */
export interface TurnsRequest {
  orientation: string;
  image: ReadableImage;
}
export type TurnsReply = { turns: Turns | undefined } | { error: string };
/** `found` lines, and those that were read, in reading order. */
export type PpocrReply = { found: number; lines: RecognisedWord[][] } | { error: string };

/** Sides of the image that the detector gets, in pixels. */
const SHORT_SIDE = 736;
const LONG_SIDE = 1536;
/** Enough to find out whether there is any text. */
const GLANCE = 480;
const MULTIPLE = 32;
/** Narrower strips are padded: the recogniser needs some width around a word. */
const STRIP_WIDTH = 160;
/** After so many lines with rare letters, the page is in a language that the quick model reads badly. */
const RARE_LINES = 2;

const detector = openOnce(openSession);
const orientation = openOnce(openSession);
const recogniser = openOnce(openRecogniser);
const quickRecogniser = openOnce(openRecogniser);

async function openRecogniser(folder: string) {
  return {
    ...(await openSession(folder)),
    // The last class is the space.
    alphabet: [...readMetadata(readFileSync(join(folder, 'model.onnx')), 'character').split('\n'), ' '],
  };
}
type Recogniser = Awaited<ReturnType<typeof openRecogniser>>;

/** The one that reads well, and the one that reads first. */
interface Recognisers {
  thorough: Recogniser;
  quick: Recogniser | undefined;
}

export async function handle(request: PpocrRequest | TurnsRequest): Promise<PpocrReply | TurnsReply> {
  const { image } = request;
  try {
    if ('orientation' in request)
      return { turns: await findTurns(await orientation(request.orientation), image) };
    const { detection, recognition, quickRecognition, mostLines } = request;
    const side = mostLines === 0 ? GLANCE : SHORT_SIDE;
    const boxes = await findBoxes(await detector(detection), image, side);
    const longest = boxes.toSorted((a, b) => b.width - a.width).slice(0, mostLines);
    if (longest.length === 0) return { found: boxes.length, lines: [] };
    const thorough = await recogniser(recognition);
    // If it cannot be opened, the other one reads all.
    const quick =
      quickRecognition === undefined
        ? undefined
        : await quickRecogniser(quickRecognition).catch(() => undefined);
    const readers = { thorough, quick };
    return { found: boxes.length, lines: await readBoxes(readers, image, longest) };
  } catch (error) {
    return { error: String(error) };
  }
}

async function findBoxes(model: ModelSession, image: ReadableImage, side: number): Promise<TextBox[]> {
  const [short, long] = [Math.min(image.width, image.height), Math.max(image.width, image.height)];
  const wanted = side === GLANCE ? GLANCE / short : Math.max(1, side / short);
  const scale = Math.min(wanted, LONG_SIDE / long);
  const toMultiple = (side: number) => Math.max(MULTIPLE, Math.round((side * scale) / MULTIPLE) * MULTIPLE);
  const [width, height] = [toMultiple(image.width), toMultiple(image.height)];
  const raw = { width: image.width, height: image.height, channels: 1 as const };
  const pixels = await sharp(image.data, { raw })
    .resize(width, height, { fit: 'fill', kernel: scale < 1 ? 'cubic' : 'linear' })
    .extractChannel(0)
    .raw()
    .toBuffer();
  const values = new Float32Array(3 * pixels.length);
  for (let at = 0; at < pixels.length; at++) values[at] = (pixels[at] ?? 0) / 127.5 - 1;
  repeatChannel(values, pixels.length);
  const probabilities = await model.run(values, [1, 3, height, width]);
  const [x, y] = [image.width / width, image.height / height];
  return findTextBoxes(probabilities, width, height).map((box) => ({
    ...box,
    x: box.x * x,
    y: box.y * y,
    width: box.width * (box.upended ? y : x),
    height: box.height * (box.upended ? x : y),
  }));
}

/** The models are surer than Tesseract: of a word that it would report with 60 of 100, they report 0.88. */
const toConfidence = (probability: number): number => 100 * probability ** 4;

interface ReadLine {
  box: { x0: number; y0: number; x1: number; y1: number };
  letters: number;
  words: Omit<RecognisedWord, 'block'>[];
}

async function readBoxes(
  { thorough, quick }: Recognisers,
  image: ReadableImage,
  boxes: readonly TextBox[],
): Promise<RecognisedWord[][]> {
  let read = await readEach({ thorough, quick }, image, boxes);
  if (quick && read.filter(({ characters }) => hasRareLetter(characters)).length >= RARE_LINES)
    read = await readEach({ thorough, quick: undefined }, image, boxes);
  const lines: ReadLine[] = [];
  for (const { box, characters, back } of read) {
    const words = wordsOf(characters).map(({ text, probability, ...part }) => ({
      text,
      confidence: toConfidence(probability),
      bbox: placeWord(image, box, part, back),
    }));
    if (words.length > 0) lines.push(lineOf(words));
  }
  const ordered = orderLines(splitAtGutter(lines, lineOf));
  const blocks = blocksOf(ordered);
  return ordered.map(({ words }, at) => words.map((word) => ({ ...word, block: blocks[at] ?? at })));
}

function lineOf(words: ReadLine['words']): ReadLine {
  const edges = (edge: 'x0' | 'y0' | 'x1' | 'y1') => words.map(({ bbox }) => bbox[edge]);
  return {
    box: {
      x0: Math.min(...edges('x0')),
      y0: Math.min(...edges('y0')),
      x1: Math.max(...edges('x1')),
      y1: Math.max(...edges('y1')),
    },
    letters: words.reduce((sum, { text }) => sum + text.length + 1, -1),
    words,
  };
}

async function readEach(readers: Recognisers, image: ReadableImage, boxes: readonly TextBox[]) {
  const read = [];
  for (const box of boxes) read.push({ box, ...(await readBox(readers, image, box)) });
  return read;
}

/** Text that runs up or down is read in the direction in which it is more legible. */
async function readBox(
  readers: Recognisers,
  image: ReadableImage,
  box: TextBox,
): Promise<{ characters: ReadCharacter[]; back: boolean }> {
  if (!box.upended) return { characters: await readLevel(readers, image, box), back: false };
  const forth = await readStrip(readers.thorough, cutStrip(image, box));
  const back = await readStrip(readers.thorough, cutStrip(image, box, true));
  return meanOf(back) > meanOf(forth) ? { characters: back, back: true } : { characters: forth, back: false };
}

/** What the quick model is sure of is not read again. */
async function readLevel(
  { thorough, quick }: Recognisers,
  image: ReadableImage,
  box: TextBox,
): Promise<ReadCharacter[]> {
  const strip = cutStrip(image, box);
  if (!quick) return readStrip(thorough, strip);
  const all: ReadCharacter[] = [];
  for (const { characters, from, to, isCertain } of partsOfLine(await readStrip(quick, strip))) {
    if (isCertain) {
      // Its first steps are less sure than those of the other model, for which the limits of confidence were chosen.
      all.push(...characters.map((character) => ({ ...character, probability: character.most })));
      continue;
    }
    // Its first character is the space before it.
    if (from > 0) all.push(...characters.slice(0, 1));
    const again = await readStrip(
      thorough,
      from > 0 || to < 1 ? cutStrip(image, partOf(box, from, to)) : strip,
    );
    all.push(...again.map((character) => ({ ...character, at: from + character.at * (to - from) })));
  }
  return all;
}

function partOf(box: TextBox, from: number, to: number): TextBox {
  const along = ((from + to) / 2 - 0.5) * box.width;
  return {
    ...box,
    x: box.x + along * Math.cos(box.angle),
    y: box.y + along * Math.sin(box.angle),
    width: (to - from) * box.width,
  };
}

async function readStrip(model: Recogniser, strip: Strip): Promise<ReadCharacter[]> {
  const width = Math.max(STRIP_WIDTH, strip.width);
  const size = STRIP_HEIGHT * width;
  const values = new Float32Array(3 * size);
  for (let row = 0; row < STRIP_HEIGHT; row++)
    values.set(strip.values.subarray(row * strip.width, (row + 1) * strip.width), row * width);
  repeatChannel(values, size);
  const { data, dims } = await model.answer(values, [1, 3, STRIP_HEIGHT, width]);
  return readSequence(data, dims[2] ?? 1, model.alphabet, strip.width / width);
}

/** The models expect colours; grey has three equal ones. */
function repeatChannel(values: Float32Array, size: number): void {
  values.copyWithin(size, 0, size);
  values.copyWithin(2 * size, 0, size);
}

function meanOf(characters: readonly ReadCharacter[]): number {
  const sum = characters.reduce((total, { probability }) => total + probability, 0);
  return sum / Math.max(1, characters.length);
}

/** What a model says of itself; its graph is skipped. */
const { root } = protobuf.parse(`syntax = "proto2";
  message Model { repeated Entry metadata_props = 14; }
  message Entry { optional string key = 1; optional string value = 2; }`);
const MODEL = root.lookupType('Model');

/** A value of the metadata of an ONNX model. @throws Error if it has none of this name */
function readMetadata(model: Uint8Array, name: string): string {
  const { metadataProps = [] } = MODEL.toObject(MODEL.decode(model)) as {
    metadataProps?: { key: string; value: string }[];
  };
  const value = metadataProps.find(({ key }) => key === name)?.value;
  if (value === undefined) throw new Error(`the model has no ${name} in its metadata`);
  return value;
}
