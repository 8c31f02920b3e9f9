import { type Box, boxAround, type QuarterTurns } from '../layout/geometry.ts';
import { WEIGHTS, type FontCut, type Run, type TaggedBlock } from '../layout/page-parts.ts';
import { createRunCollector, isRightToLeft, type Letter } from './collect-runs.ts';
import { UnreadableDocument } from '../opened-document.ts';
import { LIMITS } from '../limits.ts';
import { createFontLooks, type FontLook } from './font-look.ts';
import { readLinks, type PageLink } from './links.ts';
import type { PdfPage } from './open-pdf.ts';
import { readStructure, type Structure } from './structure.ts';

/** The page's text, in the frame in which it is upright. */
export interface PageText {
  runs: readonly Run[];
  turns: QuarterTurns;
  width: number;
  height: number;
}

const CODES = { tab: 9, lineFeed: 10, return: 13, space: 32, noBreakSpace: 0xa0 } as const;
const SPACES = new Set<number>([CODES.space, CODES.noBreakSpace, CODES.tab]);
/** What the engine writes for a hyphen at the end of a line. */
const HYPHENS = new Set([0x2, 0xfffe]);
const HYPHEN = 0x2d;
/** For a character that its font maps to no letter. */
const UNKNOWN = 0xfffd;
/** Such a character has the font's own code: of a printable one, the letter is likely. */
const likely = (code: number): number => (code > CODES.space && code < 0x7f ? code : UNKNOWN);

/** Figures and small capitals of Adobe's fonts, which have codes for private use: those of the same letters without. */
const isOfAdobe = (code: number): boolean =>
  (code >= 0xf730 && code <= 0xf739) ||
  (code >= 0xf761 && code <= 0xf77a) ||
  (code >= 0xf7e0 && code <= 0xf7fe);

/** The text of a page. */
export interface TextOfPage {
  /** By direction: a page has one, at times with a stamp in another. */
  found: PageText[];
  objects: number;
  /** Characters that their font maps to no letter. */
  unmapped: number;
  /** Lines at an angle, such as watermarks and labels of charts. */
  slanted: { text: string; box: Box; size: number }[];
  /** The blocks that the page's tags name. */
  tags: readonly TaggedBlock[];
  links: readonly PageLink[];
}

/**
 * @param rules drawn on the page
 * @param hidden objects of the page that it does not show
 */
export function readText(page: PdfPage, rules: readonly Box[], hidden: ReadonlySet<number>): TextOfPage {
  const { pdfium, handle, width, height } = page;
  const textPage = pdfium.FPDFText_LoadPage(handle);
  const count = pdfium.FPDFText_CountChars(textPage);
  if (count > LIMITS.pageCharacters)
    throw new UnreadableDocument('too_large', `Page ${page.number} has ${count} characters.`);
  let unmapped = 0;
  const level = createRunCollector(rules);
  /** Of lines at an angle, by its degrees: each in the frame in which they are level. */
  const atAngles = new Map<number, ReturnType<typeof createRunCollector>>();
  let collector = level;
  const structure = readStructure(page);
  const place = createPlacer(page, textPage, structure, hidden);
  const isOfMappedWord = createWordFinder(page, textPage, count);
  /** Whether there is text from right to left. */
  let isMixed = false;
  const add = (code: number, letter: Letter | undefined): void => {
    if (!letter) return;
    const { angle } = letter;
    const own = angle === 0 ? level : (atAngles.get(angle) ?? createRunCollector());
    if (angle !== 0) atAngles.set(angle, own);
    if (own !== collector) collector.endLine();
    collector = own;
    collector.add(code, letter);
  };
  for (let index = 0; index < count; index++) {
    const code = pdfium.FPDFText_GetUnicode(textPage, index);
    if (pdfium.FPDFText_HasUnicodeMapError(textPage, index) === 1) {
      if (isOfMappedWord(index)) continue;
      unmapped += 1;
      add(likely(code), place(index));
    } else if (code === CODES.return || code === CODES.lineFeed) collector.endLine();
    else if (SPACES.has(code)) {
      const isOfPage = pdfium.FPDFText_IsGenerated(textPage, index) !== 1;
      collector.addSpace(isOfPage, isOfPage && isMixed ? place(index)?.x0 : undefined);
    } else if (code !== 0) {
      isMixed ||= isRightToLeft(code);
      add(HYPHENS.has(code) ? HYPHEN : isOfAdobe(code) ? code & 0xff : code, place(index));
    }
  }
  const links = readLinks(page, textPage);
  pdfium.FPDFText_ClosePage(textPage);
  const found = level.finish().flatMap((some, turns) => {
    const sides = turns % 2 === 0 ? { width, height } : { width: height, height: width };
    const runs = weighed(withoutDoubles(some.filter((run) => isOnPage(run, sides))));
    return runs.length === 0 ? [] : [{ runs, turns: turns as QuarterTurns, ...sides }];
  });
  const slanted = [...atAngles].flatMap(([angle, runs]) =>
    runs.finish()[0].map((run) => ({ text: run.text, size: run.size, box: turnedBox(run, angle) })),
  );
  return { objects: place.objects(), unmapped, found, slanted, tags: structure.blocks, links };
}

/** Letters that are looked at for those of the same text object. */
const NEAR = 100;
/** Text objects with unknown characters that are examined on a page. */
const MOST_OBJECTS = 2_000;

/**
 * Some programs map the last glyph of an Arabic or Hebrew word to all its letters, and the others to nothing: these are
 * not unknown.
 */
function createWordFinder({ pdfium }: PdfPage, textPage: number, count: number): (index: number) => boolean {
  const found = new Map<number, boolean>();
  const objectOf = (index: number): number => pdfium.FPDFText_GetTextObject(textPage, index);
  const placeOf = (index: number): string => {
    pdfium.FPDFText_GetCharOrigin(textPage, index, pdfium.at(4), pdfium.at(6));
    return `${pdfium.double(4)} ${pdfium.double(6)}`;
  };
  const isLetter = (index: number): boolean => isRightToLeft(pdfium.FPDFText_GetUnicode(textPage, index));
  return (index) => {
    const object = objectOf(index);
    const known = found.get(object);
    if (known !== undefined) return known;
    if (found.size >= MOST_OBJECTS) return false;
    let isWord = false;
    const last = Math.min(count - 1, index + NEAR);
    for (let at = Math.max(1, index - NEAR); at <= last && !isWord; at++)
      isWord = objectOf(at) === object && isLetter(at) && isLetter(at - 1) && placeOf(at) === placeOf(at - 1);
    found.set(object, isWord);
    return isWord;
  };
}

/** The box around one that is turned about the page's origin. */
function turnedBox({ x0, x1, y0, y1 }: Box, degrees: number): Box {
  return boxAround(
    [x0, x1].flatMap((x) =>
      [y0, y1].map((y) => {
        const [right, down] = rotated(x, y, degrees);
        return { x0: right, x1: right, y0: down, y1: down };
      }),
    ),
  );
}

function rotated(x: number, y: number, degrees: number): [x: number, y: number] {
  const [sine, cosine] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)];
  return [x * cosine - y * sine, x * sine + y * cosine];
}

const NO_LOOK: FontLook = { bold: false, italic: false, monospaced: false };

/** Text that is turned by less, in degrees, is level: a scan may be skewed. */
const LEVEL = 8;
/** The width of a usual capital letter, in heights of the font. */
const WIDE = 0.6;

function createPlacer(page: PdfPage, textPage: number, structure: Structure, hidden: ReadonlySet<number>) {
  const { pdfium, width, height, rotation, matrix } = page;
  const [a, b, c, d, e, f] = matrix;
  const lookOf = createFontLooks(pdfium);
  let objects = 0;
  let object = 0;
  let size = 0;
  let turns: QuarterTurns = 0;
  let angle = 0;
  let look = NO_LOOK;
  let tag: number | undefined;
  function enter(index: number, next: number): void {
    object = next;
    objects += 1;
    const given = pdfium.FPDFText_GetFontSize(textPage, index);
    pdfium.FPDFText_GetMatrix(textPage, index, pdfium.at(0));
    // A negative size turns the text around.
    const turned = (word: number): number => Math.sign(given) * pdfium.float(word);
    const [right, up, slant, rise] = [turned(0), turned(1), turned(2), turned(3)];
    size = Math.abs(given) * Math.hypot(slant, rise);
    const degrees = (Math.atan2(b * right + d * up, a * right + c * up) * 180) / Math.PI;
    const quarters = Math.round(degrees / 90);
    const isLevel = Math.abs(degrees - quarters * 90) < LEVEL;
    angle = isLevel ? 0 : Math.round(degrees);
    turns = (isLevel ? quarters & 3 : 0) as QuarterTurns;
    look = lookOf(next);
    if (structure.blocks.length > 0) tag = structure.blockOf(pdfium.FPDFPageObj_GetMarkedContentID(next));
  }
  function place(index: number): Letter | undefined {
    const of = pdfium.FPDFText_GetTextObject(textPage, index);
    if (of !== 0 && of !== object) enter(index, of);
    if (!(size > 0) || hidden.has(object)) return undefined;
    pdfium.FPDFText_GetLooseCharBox(textPage, index, pdfium.at(0));
    const across = pdfium.float(2) - pdfium.float(0);
    const along = pdfium.float(1) - pdfium.float(3);
    pdfium.FPDFText_GetCharOrigin(textPage, index, pdfium.at(4), pdfium.at(6));
    const [x, y] = [pdfium.double(4), pdfium.double(6)];
    const at = [a * x + c * y + e, b * x + d * y + f] as const;
    if (angle !== 0) {
      const [x0, baseline] = rotated(...at, -angle);
      // The level box of a slanted letter does not say how wide it is.
      const advance = size * WIDE;
      return { x0, x1: x0 + advance, baseline, size, turns, angle, look, tag };
    }
    const [x0, baseline] = upright(turns, ...at, width, height);
    const advance = Math.abs(turns % 2 === rotation % 2 ? across : along);
    return { x0, x1: x0 + advance, baseline, size, turns, angle, look, tag };
  }
  return Object.assign(place, { objects: () => objects });
}

const isOnPage = (run: Run, { width, height }: { width: number; height: number }): boolean =>
  run.x1 > 0 && run.y1 > 0 && run.x0 < width && run.y0 < height;

/** A point of a page in the frame in which text that was turned clockwise is upright. */
export function upright(
  turns: QuarterTurns,
  x: number,
  y: number,
  width: number,
  height: number,
): [x: number, y: number] {
  if (turns === 1) return [y, width - x];
  if (turns === 2) return [width - x, height - y];
  if (turns === 3) return [height - y, x];
  return [x, y];
}

/** Beside lighter text of the page, a medium weight is bold, and so is a usual one beside a light one of its family. */
function weighed(runs: readonly Run[]): readonly Run[] {
  const letters = new Map<string, { cut: FontCut; count: number }>();
  for (const { cut, text } of runs) {
    if (!cut) continue;
    const key = `${cut.weight} ${cut.family}`;
    letters.set(key, { cut, count: (letters.get(key)?.count ?? 0) + text.length });
  }
  const [main] = [...letters.values()].toSorted((a, b) => b.count - a.count);
  if (!main || letters.size < 2) return runs;
  const { family, weight: usual } = main.cut;
  return runs.map((run) => {
    const { weight = 0, family: own } = run.cut ?? {};
    const isHeavier = weight > usual && (weight === WEIGHTS.medium || own === family);
    return isHeavier ? { ...run, bold: true } : run;
  });
}

/** How far a copy of text is from it, in heights of the font: lines of text are further apart, signs may be near. */
const SHADOW = 0.5;
const DOUBLE = 0.2;
/** Maximum number of equal texts that one is compared with. */
const MOST_COMPARED = 50;

/** Some programs draw text twice: slightly offset to make it bold, or further as its shadow. */
function withoutDoubles(runs: readonly Run[]): Run[] {
  const seen = new Map<string, Run[]>();
  return runs.filter((run) => {
    const same = seen.get(run.text) ?? [];
    seen.set(run.text, same);
    const apart = run.size * (/\p{L}{2}/u.test(run.text) ? SHADOW : DOUBLE);
    const isDouble = same
      .slice(-MOST_COMPARED)
      .some(
        (other) =>
          Math.abs(other.x0 - run.x0) < apart &&
          Math.abs(other.baseline - run.baseline) < apart &&
          Math.abs(other.size - run.size) < DOUBLE * run.size,
      );
    if (!isDouble) same.push(run);
    return !isDouble;
  });
}
