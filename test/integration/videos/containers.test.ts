import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createFindFfmpeg } from '../../../engines/video-reader/find-ffmpeg.ts';
import { createVideoReader } from '../../../engines/video-reader/video-reader.ts';
import type { VideoFormat } from '../../../domain/media.ts';
import { sniffContentType } from '../../../engines/content-sniffer/content-sniffer.ts';
import { makeVideo, memorySource, remux } from '../../support/videos.ts';

/** What containers tell in more than one place, and in any order: dates, lengths, tracks and their own type. */
const findFfmpeg = createFindFfmpeg({ FFMPEG_PATH: process.env['FFMPEG_PATH'] });
const reader = createVideoReader({ slots: 1, findFfmpeg });
after(() => reader.close());
const signal = AbortSignal.timeout(600_000);
const probe = (video: Buffer, format: VideoFormat = 'mp4') =>
  reader.probe(memorySource(video, format), signal);

const short = await makeVideo({ scenes: ['testsrc'] });
const DATE = '2021-03-04T05:06:07.000Z';

/** A copy in which the date of a header is another number of seconds. */
function withDate(video: Buffer, box: 'mvhd' | 'mdhd' | 'tkhd', seconds: number): Buffer {
  const copy = Buffer.from(video);
  const at = copy.indexOf(box) + 4;
  assert.equal(copy[at], 0, 'a short header');
  copy.writeUInt32BE(seconds, at + 4);
  return copy;
}

const tagged = (format: VideoFormat, ...tags: string[]) =>
  remux(short, {
    output: [...tags.flatMap((tag) => ['-metadata', tag]), '-movflags', 'use_metadata_tags'],
    format,
  });
const SINCE_1904 = Date.parse(DATE) / 1000 + 2_082_844_800;

for (const [what, video, format, expected] of [
  ['no date', async () => short, 'mp4', undefined],
  ['the header of the movie', async () => withDate(short, 'mvhd', SINCE_1904), 'mp4', DATE],
  ['the header of the track', async () => withDate(short, 'mdhd', SINCE_1904), 'mp4', DATE],
  [
    'a header that counts from 1970',
    async () => withDate(short, 'mvhd', Date.parse(DATE) / 1000),
    'mp4',
    DATE,
  ],
  ['a clock that was never set', async () => withDate(short, 'mvhd', 2_082_844_801), 'mp4', undefined],
  [
    'the key of Apple, with a zone',
    async () => tagged('mov', 'com.apple.quicktime.creationdate=2021-03-04T07:06:07+0200'),
    'mov',
    DATE,
  ],
  [
    'the key of Apple before the header',
    async () =>
      tagged(
        'mov',
        'com.apple.quicktime.creationdate=2021-03-04T07:06:07+02:00',
        'creation_time=2022-01-01T00:00:00Z',
      ),
    'mov',
    DATE,
  ],
  ['DateUTC of Matroska', async () => tagged('mkv', `creation_time=${DATE}`), 'mkv', DATE],
  [
    'DateUTC of WebM',
    async () =>
      remux(await makeVideo({ scenes: ['testsrc'], codec: 'vp8', format: 'webm' }), {
        output: ['-metadata', `creation_time=${DATE}`],
        format: 'webm',
      }),
    'webm',
    DATE,
  ],
  ['a tag of Matroska', async () => tagged('mkv', 'DATE_RECORDED=2021-03-04 05:06:07'), 'mkv', DATE],
  [
    'an impossible tag before the header',
    async () => tagged('mkv', 'DATE_RECORDED=0000-00-00', `creation_time=${DATE}`),
    'mkv',
    DATE,
  ],
] as [string, () => Promise<Buffer>, VideoFormat, string | undefined][]) {
  test(`the date of a video: ${what}`, async () => {
    assert.equal((await probe(await video(), format)).createdAt, expected);
  });
}

const FRAGMENTS = ['-movflags', '+frag_keyframe+empty_moov+default_base_moof'];
for (const [what, format, output] of [
  ['fragments from an hour on', 'mp4', [...FRAGMENTS, '-output_ts_offset', '3600']],
  ['fragments from 13 hours on', 'mp4', [...FRAGMENTS, '-output_ts_offset', '46800']],
  ['Matroska from an hour on', 'mkv', ['-output_ts_offset', '3600']],
  ['Matroska as a stream from an hour on', 'mkv', ['-live', '1', '-output_ts_offset', '3600']],
  ['QuickTime', 'mov', []],
] as [string, VideoFormat, string[]][]) {
  test(`the length of a clip is what players show: ${what}`, async () => {
    const clip = await remux(await makeVideo({ scenes: ['testsrc'], audio: true }), { output, format });
    const { durationSeconds } = await probe(clip, format);
    assert.ok(Math.abs(durationSeconds - 2) < 0.2, String(durationSeconds));
    const source = memorySource(clip, format);
    const facts = await reader.probe(source, signal);
    const samples = await reader.scan(source, { ...facts, fromSeconds: 0 }, () => undefined, signal);
    assert.ok(Math.abs(samples - 4) <= 1, String(samples));
  });
}

test('a picture that begins after the sound does not shorten a video', async () => {
  const whole = await makeVideo({ scenes: ['testsrc'], audio: true });
  const output = [
    '-filter_complex',
    '[0:v]setpts=PTS+1/TB[v]',
    '-map',
    '[v]',
    '-map',
    '0:a',
    '-c:v',
    'libx264',
    '-c:a',
    'copy',
  ];
  const { durationSeconds } = await probe(await remux(whole, { output }));
  assert.ok(Math.abs(durationSeconds - 3) < 0.2, String(durationSeconds));
});

/** A video without a file type, which begins with another box. */
async function withoutFileType(first: 'moov' | 'mdat' | 'wide' | 'free' | 'skip'): Promise<Buffer> {
  const flags = first === 'moov' ? ['-movflags', '+faststart'] : [];
  const video = Buffer.from(await remux(short, { output: flags, format: 'mov' }));
  const length = video.readUInt32BE();
  if (first !== 'moov' && first !== 'mdat') {
    video.write(first, 4);
    return video;
  }
  // Offsets of chunks count from the beginning.
  const removed = first === 'mdat' ? video.indexOf('mdat') - 4 : length;
  const chunks = video.indexOf('stco') + 8;
  for (let entry = 0; entry < video.readUInt32BE(chunks); entry += 1) {
    const at = chunks + 4 + entry * 4;
    video.writeUInt32BE(video.readUInt32BE(at) - removed, at);
  }
  return video.subarray(removed);
}

for (const first of ['moov', 'mdat', 'wide', 'free', 'skip'] as const) {
  test(`QuickTime that begins with ${first} is recognised and read`, async () => {
    const video = await withoutFileType(first);
    assert.equal(await sniffContentType(video.subarray(0, 4100)), 'video/quicktime');
    const facts = await probe(video, 'mov');
    assert.deepEqual([facts.codec, facts.width, facts.height], ['h264', 320, 240]);
    const source = memorySource(video, 'mov');
    assert.ok(await reader.frame(source, { ...facts, atSeconds: 1, maxDimension: 320 }, signal));
  });
}

test('the longest track that can be decoded is analyzed, wherever it stands', async () => {
  const film = await makeVideo({ scenes: ['smptebars'], seconds: 4 });
  const graph =
    '[0:v]split=3[film][still][jpeg];[still]trim=end_frame=1,scale=160:120[still1];[jpeg]trim=end_frame=1[jpeg1]';
  const tracks: Record<string, string[]> = {
    still: ['-map', '[still1]'],
    jpeg: ['-map', '[jpeg1]'],
    film: ['-map', '[film]'],
  };
  for (const order of [
    ['jpeg', 'still', 'film'],
    ['still', 'film', 'jpeg'],
    ['film', 'jpeg', 'still'],
  ]) {
    for (const format of ['mov', 'mkv'] as const) {
      const codecs = order.flatMap((name, at) => [`-c:v:${at}`, name === 'jpeg' ? 'mjpeg' : 'libx264']);
      const maps = order.flatMap((name) => tracks[name] ?? []);
      const output = [
        '-filter_complex',
        graph,
        ...maps,
        ...codecs,
        '-disposition:v',
        'default',
        '-pix_fmt',
        'yuvj420p',
      ];
      const facts = await probe(await remux(film, { output, format }), format);
      assert.deepEqual([facts.codec, facts.width, facts.track], ['h264', 320, order.indexOf('film')], format);
    }
  }
});

test('a video of one frame has the rate at which another would follow', async () => {
  const one = await makeVideo({ scenes: ['testsrc'], filter: 'trim=end_frame=1' });
  assert.equal((await probe(one)).frameRate, 10);
});

for (const [brands, type] of [
  [['isom'], 'video/mp4'],
  [['3gp4', 'isom'], 'video/mp4'],
  [['M4V '], 'video/mp4'],
  [['M4VH'], 'video/mp4'],
  [['f4v '], 'video/mp4'],
  [['XAVC', 'mp42'], 'video/mp4'],
  [['qt  '], 'video/quicktime'],
  [['M4A '], 'audio/mp4'],
  [['crx ', 'isom'], 'image/x-canon-cr3'],
  [['avif', 'mif1', 'miaf'], 'image/avif'],
  [['mif1', 'avif', 'miaf'], 'image/avif'],
  [['avis', 'msf1'], 'image/avif'],
  [['heix', 'mif1'], 'image/heic'],
  [['mif1', 'heic'], 'image/heic'],
  [['msf1', 'hevc'], 'image/heic'],
  [['mif1'], 'image/heif'],
] as [string[], string][]) {
  test(`the brands ${brands.join(', ')} mean ${type}`, async () => {
    const [major = ''] = brands;
    const head = Buffer.from(`\0\0\0\0ftyp${major}\0\0\0\0${brands.join('')}`, 'latin1');
    head.writeUInt32BE(head.length);
    assert.equal(await sniffContentType(head), type);
  });
}
