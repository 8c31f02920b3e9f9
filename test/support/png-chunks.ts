import { crc32 } from 'node:zlib';
import { u32 } from './heif-writer.ts';

export function pngChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([u32(data.length), body, u32(crc32(body))]);
}

const END_OF_HEADER = 33;

/** Adds chunks after the header of a PNG, in place of those that tell its colours. */
export function withPngChunks(png: Buffer, ...chunks: readonly Buffer[]): Buffer {
  return Buffer.concat([png.subarray(0, END_OF_HEADER), ...chunks, png.subarray(END_OF_HEADER)]);
}
