import type { ExifFacts, ImageFacts } from '../../../domain/image-analysis.ts';
import { cleanText } from './vision-answer.ts';
import { isPageOfText, imageWords } from './image-words.ts';
import type { VisionInput } from './vision-model.ts';

const MAX_QUOTE = 300;
/** A colour below this share of the image is a detail. */
const MAIN_SHARE = 0.1;

/**
 * A few English sentences generated from measurements; the last one states that.
 *
 * @param seen a sentence of what was seen in it, which comes first; empty if nothing was sure, undefined without models
 */
export function describeMeasurements(input: VisionInput, seen?: string): string {
  return [
    seen ?? '',
    opening(input),
    colours(input.facts),
    impression(input),
    capture(input.facts.exif),
    quote(input.visibleText),
    lastSentence(seen),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

export function lastSentence(seen: string | undefined): string {
  if (seen === undefined) return 'Described from measurements, without a vision model.';
  const content = seen === '' ? 'which recognised nothing in it with certainty, ' : '';
  return `Described by the built-in models, ${content}and from measurements.`;
}

/** The main colours to a viewer, largest first, three at most. */
export function mainColours(facts: ImageFacts): ImageFacts['colours'] {
  return facts.colours.filter(({ share }, i) => i === 0 || share >= MAIN_SHARE).slice(0, 3);
}

function opening(input: VisionInput): string {
  const { facts, width, height, format } = input;
  const { orientation, brightness } = imageWords(facts, width, height);
  const nouns = {
    photograph: isScan(input) ? 'scan or photograph of a page' : 'photograph',
    graphic: 'graphic or drawing',
    blank: 'blank image',
  };
  const shape = orientation === 'panorama' ? 'very wide' : orientation;
  const kind = [brightness, facts.frames > 1 && 'animated', nouns[facts.look]].filter(Boolean).join(' ');
  const extras = [
    facts.frames > 1 && `${facts.frames} frames`,
    facts.hasAlpha && 'with a transparency channel',
  ].filter(Boolean);
  const details = [`${width} × ${height} pixels`, format.toUpperCase(), ...extras].join(', ');
  return `${/^[aeiou]/.test(kind) ? 'An' : 'A'} ${kind} in ${shape} format (${details}).`;
}

/** A page of text with continuous tones, as from a camera or a scanner. */
export function isScan({ facts, visibleText = '' }: VisionInput): boolean {
  return facts.look === 'photograph' && isPageOfText(facts, visibleText.split('\n').length);
}

function colours(facts: ImageFacts): string {
  const [first, ...others] = mainColours(facts);
  if (!first) return '';
  if (first.share > 0.95) return `It is ${first.name} almost throughout.`;
  const lead = `${first.share >= 0.5 ? 'Mostly' : 'Its largest colour is'} ${first.name} (${percent(first.share)})`;
  const rest = others.map(({ name, share }) => `${name} (${percent(share)})`);
  return rest.length === 0 ? `${lead}.` : `${lead}, with ${list(rest)}.`;
}

function impression({ facts, width, height }: VisionInput): string {
  const { contrast, colour, focus } = imageWords(facts, width, height);
  const said = [
    contrast && { 'low-contrast': 'little contrast', 'high-contrast': 'strong contrast' }[contrast],
    colour &&
      { monochrome: 'no colour to speak of', muted: 'muted colours', colourful: 'vivid colours' }[colour],
    focus && { sharp: 'crisp detail', soft: 'soft or blurred detail' }[focus],
  ].filter((part) => part !== undefined);
  return said.length === 0 ? '' : `It has ${list(said)}.`;
}

function capture(exif: ExifFacts): string {
  const { takenAt, camera, lens, iso, exposureSeconds, aperture, focalLengthMm } = exif;
  const settings = [
    exposureSeconds !== undefined && `${exposure(exposureSeconds)} s`,
    aperture !== undefined && `f/${short(aperture)}`,
    iso !== undefined && `ISO ${iso}`,
    focalLengthMm !== undefined && `${short(focalLengthMm)} mm`,
  ].filter(Boolean);
  const parts = [
    takenAt && day(takenAt) && `on ${day(takenAt)}`,
    camera && `with a ${camera}`,
    lens && `through a ${lens}`,
    settings.length > 0 && `at ${settings.join(', ')}`,
  ].filter(Boolean);
  return parts.length === 0 ? '' : `Taken ${parts.join(' ')}.`;
}

function quote(text: string | undefined): string {
  const line = text?.replaceAll(/\s+/g, ' ').trim();
  return line ? `The text in it reads “${cleanText(line, MAX_QUOTE)}”.` : '';
}

function day(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return '';
  return date.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
}

function exposure(seconds: number): string {
  return seconds < 0.5 ? `1/${Math.round(1 / seconds)}` : short(seconds);
}

function short(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function list(parts: readonly string[]): string {
  return new Intl.ListFormat('en', { type: 'conjunction' }).format(parts);
}
