import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createFindFfmpeg } from '../../../engines/video-reader/find-ffmpeg.ts';
import { createVideoReader } from '../../../engines/video-reader/video-reader.ts';
import type { VideoFormat } from '../../../domain/media.ts';
import { assertQuarters } from '../../support/quarters.ts';
import { makeQuarters, memorySource } from '../../support/videos.ts';

const findFfmpeg = createFindFfmpeg({ FFMPEG_PATH: process.env['FFMPEG_PATH'] });
const reader = createVideoReader({ slots: 1, findFfmpeg });
after(() => reader.close());
const signal = AbortSignal.timeout(600_000);

const tagged = (matrix: string, primaries = matrix, transfer = primaries, range = 'limited') =>
  `setparams=colorspace=${matrix}:color_primaries=${primaries}:color_trc=${transfer}:range=${range}`;
const untagged = tagged('unknown', 'unknown', 'unknown', 'unknown');
const yuv = (matrix: string, pixels = 'yuv420p', range = 'limited') =>
  `scale=out_color_matrix=${matrix}:out_range=${range},format=${pixels}`;
const bt709 = (pixels?: string) => `${yuv('bt709', pixels)},${tagged('bt709')}`;
/** Converts light to that of other primaries and another curve, where white has 203 cd/m². */
const light = (primaries: string, transfer: string, pixels: string, from = 'iec61966-2-1') => {
  const matrix = 'm=2020_ncl:r=limited';
  const linear = `zscale=pin=709:tin=${from}:min=gbr:rin=full:p=709:m=gbr:t=linear:npl=203,format=gbrpf32le`;
  return `${linear},zscale=p=${primaries}:t=${transfer}:${matrix}:npl=203,format=${pixels}`;
};
const hdr = (transfer: string, pixels = 'yuv420p10le') =>
  `${light('2020', transfer, pixels)},${tagged('bt2020nc', 'bt2020', transfer)}`;
const RGB = tagged('gbr', 'bt709', 'iec61966-2-1', 'full');

interface Row {
  codec: string;
  filter: string;
  format?: VideoFormat;
  options?: string[];
  /** How far each channel may be off. */
  off?: number;
}

/** Every sample format, matrix, range, set of primaries and transfer function that the accepted codecs carry. */
const rows: Record<string, Row> = {
  'BT.601': { codec: 'h264', filter: `${yuv('bt601')},${tagged('smpte170m')}` },
  'BT.601 of PAL': { codec: 'h264', filter: `${yuv('bt601')},${tagged('bt470bg')}` },
  'SMPTE 240M': { codec: 'h264', filter: `${yuv('smpte240m')},${tagged('smpte240m')}` },
  FCC: { codec: 'h264', filter: `${yuv('fcc')},${tagged('fcc', 'bt470bg')}` },
  'unknown colours in a small frame': { codec: 'h264', filter: `${yuv('bt601')},${untagged}` },
  'unknown colours in HD': { codec: 'h264', filter: `scale=1280:720,${yuv('bt709')},${untagged}` },
  'BT.709': { codec: 'h264', filter: bt709() },
  'BT.709 of full range': {
    codec: 'h264',
    filter: `${yuv('bt709', 'yuv420p', 'full')},${tagged('bt709', 'bt709', 'bt709', 'full')}`,
  },
  'BT.601 of full range': {
    codec: 'h264',
    filter: `${yuv('bt601', 'yuv420p', 'full')},${tagged('smpte170m', 'smpte170m', 'smpte170m', 'full')}`,
  },
  'BT.709 with the curve of sRGB': {
    codec: 'h264',
    filter: `${yuv('bt709')},${tagged('bt709', 'bt709', 'iec61966-2-1')}`,
  },
  'linear light': {
    codec: 'hevc',
    filter: `${light('709', 'linear', 'yuv444p12le')},${tagged('bt2020nc', 'bt709', 'linear')}`,
    off: 20,
  },
  'H.264, 4:2:2 of 10 bits': { codec: 'h264', filter: bt709('yuv422p10le') },
  'H.264, 4:4:4': { codec: 'h264', filter: bt709('yuv444p') },
  'H.264, RGB': { codec: 'libx264rgb', filter: `format=rgb24,${RGB}` },
  'HEVC, 10 bits': { codec: 'hevc', filter: bt709('yuv420p10le') },
  'HEVC, 4:2:2 of 12 bits': { codec: 'hevc', filter: bt709('yuv422p12le') },
  'HEVC, RGB': { codec: 'hevc', filter: `format=gbrp,${RGB}` },
  'BT.2020 without HDR': {
    codec: 'hevc',
    filter: `${light('2020', '2020_10', 'yuv420p10le', '709')},${tagged('bt2020nc', 'bt2020', 'bt2020-10')}`,
    off: 18,
  },
  'Display P3': {
    codec: 'hevc',
    filter: `${light('smpte432', 'iec61966-2-1', 'yuv420p10le')},${tagged('bt2020nc', 'smpte432', 'iec61966-2-1')}`,
    off: 14,
  },
  HLG: { codec: 'hevc', filter: hdr('arib-std-b67'), off: 35 },
  'HLG, colours in the container alone': {
    codec: 'vp9',
    filter: hdr('arib-std-b67'),
    format: 'webm',
    off: 35,
  },
  PQ: { codec: 'hevc', filter: hdr('smpte2084'), off: 35 },
  'PQ in VP9': { codec: 'vp9', filter: hdr('smpte2084'), format: 'mkv', off: 35 },
  'PQ in AV1': { codec: 'av1', filter: hdr('smpte2084'), off: 35 },
  VP8: { codec: 'vp8', filter: yuv('bt601'), format: 'webm' },
  VP9: { codec: 'vp9', filter: bt709(), format: 'webm' },
  'VP9, BT.601': { codec: 'vp9', filter: `${yuv('bt601')},${tagged('smpte170m')}`, format: 'webm' },
  'VP9, 4:4:4 of 12 bits': { codec: 'vp9', filter: bt709('yuv444p12le'), format: 'webm' },
  'VP9, RGB': { codec: 'vp9', filter: `format=gbrp,${RGB}`, format: 'webm' },
  AV1: { codec: 'av1', filter: bt709(), format: 'webm' },
  'AV1, 10 bits': { codec: 'av1', filter: bt709('yuv420p10le') },
  'MPEG-4': { codec: 'mpeg4', filter: yuv('bt601') },
};

async function shown({ format = 'mp4', ...row }: Row): Promise<Buffer | undefined> {
  const source = memorySource(await makeQuarters({ ...row, format }), format);
  const facts = await reader.probe(source, signal);
  return reader.frame(source, { ...facts, atSeconds: 0, maxDimension: 1920 }, signal);
}

for (const [what, row] of Object.entries(rows)) {
  test(`${what}: a frame has the colours that players show`, async () => {
    const frame = await shown(row);
    assert.ok(frame);
    await assertQuarters(frame, row.off ?? 8);
  });
}

for (const [what, filter] of Object.entries({
  YCgCo: `${yuv('bt709')},${tagged('ycgco', 'bt709')}`,
  ICtCp: `${yuv('bt709')},${tagged('ictcp', 'bt2020', 'smpte2084')}`,
  'constant luminance': `${yuv('bt709')},${tagged('bt2020c', 'bt2020', 'bt2020-10')}`,
})) {
  test(`${what}: colours that cannot be converted are refused by their name`, async () => {
    const [name] = /(?<=colorspace=)\w+/.exec(filter) ?? [];
    await assert.rejects(shown({ codec: 'hevc', filter }), {
      code: 'VIDEO_CODEC_UNSUPPORTED',
      message: new RegExp(`the colours of the video \\(${name},`),
    });
  });
}
