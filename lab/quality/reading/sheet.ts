import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCanvas, GlobalFonts, type SKRSContext2D } from '@napi-rs/canvas';
import type { Dice } from '../../shared/dice.ts';
import { unpackDebian } from '../systems/debian-packages.ts';

const SAMPLES = new URL('../../../dev/samples/', import.meta.url);
const BACKGROUNDS = ['coffee.jpg', 'chelsea.jpg', 'rocket.jpg'];

/** Names of real places, languages and currencies in five languages, with their marks. */
const LANGUAGES = ['en', 'de', 'fr', 'es', 'pl'] as const;
const REGIONS =
  'AT BE BR CA CH CL DE EG ES FI FR GR HU IE IS IT JP KE MX NL NO NZ PE PL PT RO SE TR US ZA'.split(' ');
const CURRENCIES = 'EUR USD GBP CHF JPY SEK PLN CZK HUF BRL MXN CAD AUD NOK DKK TRY ZAR INR'.split(' ');
const CITIES = Intl.supportedValuesOf('timeZone').flatMap((zone) =>
  /^(?:Europe|America)\//.test(zone) ? (zone.split('/').at(-1)?.replaceAll('_', ' ') ?? []) : [],
);

/** Fonts of signs, books and screens, beside those of this machine. @throws Error without their packages */
export async function registerFonts(): Promise<void> {
  const root = await unpackDebian('fonts-of-pictures', ['fonts-liberation', 'fonts-lato', 'fonts-comfortaa']);
  GlobalFonts.loadFontsFromDir(join(root, 'usr/share/fonts'));
}
const FONTS = ['Liberation Sans', 'Liberation Serif', 'Lato', 'Comfortaa', 'Liberation Sans Narrow'];

/** Sentences of this project's guide, without markup: they have numbers, names and marks. */
export function readProse(): string[] {
  const text = readFileSync(new URL('../../../docs/api-guide.md', import.meta.url), 'utf8');
  const plain = text.replaceAll(/```[^]*?```|\|.*|^#.*$|[`*[\]]|\(\S*\)/gm, '').replaceAll(/\s+/g, ' ');
  return plain.match(/[A-Z][^.!?|<>]{30,90}[.]/g) ?? [];
}

/** What is drawn, and the lines that are on it. */
export type Sheet = ReturnType<typeof createSheet>;

export function createSheet(dice: Dice, prose: readonly string[]) {
  const lines: string[] = [];
  const language = dice.pick(LANGUAGES);
  const named = (type: 'region' | 'currency', codes: readonly string[]): string =>
    new Intl.DisplayNames([language], { type }).of(dice.pick(codes)) ?? '';
  return {
    dice,
    lines,
    font: dice.pick(FONTS),
    region: () => named('region', REGIONS),
    currency: () => named('currency', CURRENCIES),
    city: () => dice.pick(CITIES),
    sentence: () => dice.pick(prose),
    price: () => `${dice.whole(1, 99)}${dice.pick([',', '.'])}${dice.whole(10, 99)}`,
    date: () => `${dice.whole(1990, 2026)}-${dice.whole(10, 12)}-${dice.whole(10, 28)}`,
    background: () => readFileSync(new URL(dice.pick(BACKGROUNDS), SAMPLES)),
    /** Draws a line, which is then part of the truth. */
    write: (
      context: SKRSContext2D,
      text: string,
      x: number,
      y: number,
      look: { font: string; colour: string; angle?: number },
    ): void => {
      context.save();
      context.font = look.font;
      context.fillStyle = look.colour;
      context.translate(x, y);
      context.rotate(((look.angle ?? 0) * Math.PI) / 180);
      context.fillText(text, 0, 0);
      context.restore();
      lines.push(text);
    },
  };
}

export function canvasOf(width: number, height: number, colour: string) {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.fillStyle = colour;
  context.fillRect(0, 0, width, height);
  return { context, png: () => canvas.toBuffer('image/png') };
}

/** Lines of words that fit into a width. */
export function wrap(context: SKRSContext2D, text: string, font: string, width: number): string[] {
  context.font = font;
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trim();
    if (lines.length > 0 && context.measureText(longer).width <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
