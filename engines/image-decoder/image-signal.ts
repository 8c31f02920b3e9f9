import type { Box } from '../boxes.ts';
import {
  BT709,
  type Chromaticities,
  type ColourSignal,
  gamma,
  isSrgb,
  signalOf,
  SRGB,
} from '../colour/signal.ts';
import { primaryItem } from '../heif-items.ts';

/**
 * The colours of an image that are told outside an ICC profile: by chunks of a PNG, or by code points of an AVIF or HEIC.
 *
 * @returns undefined if an ICC profile tells them, or nothing, which means sRGB
 */
export function imageSignal(original: Uint8Array): ColourSignal | undefined {
  const bytes = Buffer.from(original.buffer, original.byteOffset, original.byteLength);
  if (bytes.length < FIRST_CHUNK) return undefined;
  return bytes.readUInt32BE() === PNG ? pngSignal(bytes) : itemSignal(bytes);
}

const PNG = 0x89_50_4e_47;
const FIRST_CHUNK = 8;
/** More chunks before the pixels than any program writes. */
const MOST_CHUNKS = 1000;

/** The chunks before the pixels, each of which occurs once. */
function pngChunks(bytes: Buffer): Map<string, Buffer> {
  const chunks = new Map<string, Buffer>();
  for (let at = FIRST_CHUNK; at + 8 <= bytes.length && chunks.size < MOST_CHUNKS;) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'IDAT') break;
    if (!chunks.has(type)) chunks.set(type, bytes.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  return chunks;
}

/** By the rank that the standard gives: cICP, iCCP, sRGB, and gAMA, of which cHRM is a part. */
function pngSignal(bytes: Buffer): ColourSignal | undefined {
  const chunks = pngChunks(bytes);
  const [primaries, transfer, matrix, isFull] = chunks.get('cICP') ?? [];
  if (primaries !== undefined && transfer !== undefined && matrix === 0 && isFull === 1) {
    const signal = signalOf(primaries, transfer);
    if (signal) return signal;
  }
  if (chunks.has('iCCP') || chunks.has('sRGB')) return undefined;
  const exponent = chunks.get('gAMA');
  if (exponent?.length !== 4 || exponent.readUInt32BE() === 0) return undefined;
  const power = 100_000 / exponent.readUInt32BE();
  const curve = Math.abs(power - 2.2) < 0.03 ? SRGB : gamma(power);
  const signal = { primaries: chromaticitiesIn(chunks.get('cHRM')) ?? BT709, transfer: curve };
  return isSrgb(signal) ? undefined : signal;
}

function chromaticitiesIn(chunk: Buffer | undefined): Chromaticities | undefined {
  if (chunk?.length !== 32) return undefined;
  const at = (place: number) => chunk.readUInt32BE(place * 4) / 100_000;
  const found: Chromaticities = [at(2), at(3), at(4), at(5), at(6), at(7), at(0), at(1)];
  const [rx, ry, gx, gy, bx, by] = found;
  const area = (gx - rx) * (by - ry) - (bx - rx) * (gy - ry);
  return Math.abs(area) > 0.001 && found.every((value) => value > 0 && value < 1) ? found : undefined;
}

/** The code points of the primary item, unless it has a profile as well. */
function itemSignal(bytes: Buffer): ColourSignal | undefined {
  const colours = primaryItem(bytes)?.colours ?? [];
  const kindOf = ({ start }: Box) => bytes.toString('latin1', start, start + 4);
  const codes = colours.find((box) => kindOf(box) === 'nclx' && box.end - box.start >= 11);
  if (!codes || colours.some((box) => kindOf(box) !== 'nclx')) return undefined;
  const signal = signalOf(bytes.readUInt16BE(codes.start + 4), bytes.readUInt16BE(codes.start + 6));
  return signal && !isSrgb(signal) ? signal : undefined;
}
