import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import sharp from 'sharp';
import { VideoRefused } from '../../../engines/video-reader/errors.ts';
import { createFindFfmpeg } from '../../../engines/video-reader/find-ffmpeg.ts';
import { createVideoReader, type VideoSource } from '../../../engines/video-reader/video-reader.ts';
import type { VideoFormat } from '../../../domain/media.ts';
import { chooseKeyFrames, SceneScan } from '../../../domain/videos/scenes.ts';
import { childrenNamed } from '../../support/child-processes.ts';
import { eventually } from '../../support/api.ts';
import { makeVideo, memorySource, remux, SCENES } from '../../support/videos.ts';

// Another build, such as that of the image, at FFMPEG_PATH; videos are always made by the pinned one.
const findFfmpeg = createFindFfmpeg({ FFMPEG_PATH: process.env['FFMPEG_PATH'] });
const reader = createVideoReader({ slots: 1, findFfmpeg });
after(() => reader.close());
const signal = AbortSignal.timeout(600_000);

async function scanAll(source: VideoSource, fromSeconds = 0, scan = new SceneScan()) {
  const facts = await reader.probe(source, signal);
  const samples = await reader.scan(
    source,
    { ...facts, fromSeconds },
    (sample, signature) => scan.add(sample, signature),
    signal,
  );
  return { facts, samples, scan };
}

for (const [codec, format] of [
  ['h264', 'mp4'],
  ['hevc', 'mov'],
  ['vp8', 'webm'],
  ['vp9', 'mkv'],
  ['av1', 'mp4'],
  ['mpeg4', 'mkv'],
] as [string, VideoFormat][]) {
  test(`${codec} in ${format} is read: facts, scenes and a frame of each scene`, async () => {
    const source = memorySource(await makeVideo({ codec, format, audio: true }), format);
    const { facts, scan } = await scanAll(source);
    const { width, height, frameRate, hasVariableFrameRate, audioTracks } = facts;
    assert.deepEqual(
      [facts.codec, width, height, Math.round(frameRate), hasVariableFrameRate],
      [codec, 320, 240, 10, false],
    );
    assert.ok(Math.abs(facts.durationSeconds - 8) < 0.5);
    assert.equal(audioTracks.length, 1);
    // Encoders may show the first frame of a scene a moment later.
    const starts = scan.state.scenes.map(({ start }) => start);
    assert.equal(starts.length, SCENES.length);
    for (const [index, start] of starts.entries()) assert.ok(Math.abs(start - 2 * index) <= 0.5);
    const [first] = chooseKeyFrames(scan.state.scenes);
    const shown = { ...facts, atSeconds: first?.at ?? 0, maxDimension: 1920 };
    const frame = await reader.frame(source, shown, signal);
    const { width: across, height: down, format: type } = await sharp(frame).metadata();
    assert.deepEqual([across, down, type], [320, 240, 'jpeg']);
  });
}

test('a rotated video has its displayed size and upright frames', async () => {
  const turned = await remux(await makeVideo({ scenes: ['testsrc'] }), {
    input: ['-display_rotation', '90'],
    output: [],
  });
  const source = memorySource(turned);
  const facts = await reader.probe(source, signal);
  assert.deepEqual([facts.width, facts.height], [240, 320]);
  assert.ok(facts.rotation === 90 || facts.rotation === 270);
  const frame = await reader.frame(source, { ...facts, atSeconds: 0, maxDimension: 100 }, signal);
  const { width, height } = await sharp(frame).metadata();
  assert.deepEqual([width, height], [76, 100]);
});

test('a resumed scan finds the remaining scenes', async () => {
  const source = memorySource(await makeVideo());
  const { scan } = await scanAll(source, 3);
  assert.deepEqual(
    scan.state.scenes.map(({ start }) => start),
    [3, 4, 6],
  );
});

test('a frame of long duration is returned for every time it covers, wherever a scan begins', async () => {
  const slides = { filter: 'select=not(mod(n\\,20))', options: ['-fps_mode', 'vfr'] };
  const source = memorySource(
    await makeVideo({ scenes: SCENES.slice(0, 3), seconds: 20, rate: 1, ...slides }),
  );
  const { facts, scan, samples } = await scanAll(source, 10);
  assert.deepEqual(
    scan.state.scenes.map(({ start }) => start),
    [10, 20, 40],
  );
  assert.ok(Math.abs(samples - 2 * (facts.durationSeconds - 10)) <= 2);
  const frameAt = (atSeconds: number) =>
    reader.frame(source, { ...facts, atSeconds, maxDimension: 320 }, signal);
  const [first, later, second] = [await frameAt(0), await frameAt(15), await frameAt(20)];
  assert.ok(first && later && second);
  assert.ok(first.equals(later) && !first.equals(second));
});

test('all attempts of a scan share one budget of processor time', async () => {
  const source = memorySource(await makeVideo());
  const facts = await reader.probe(source, signal);
  let last = 0;
  const used = { ...facts, fromSeconds: 0, cpuSeconds: 50 };
  await reader.scan(source, used, (_sample, _signature, cpuSeconds) => void (last = cpuSeconds), signal);
  assert.ok(last >= 50);
  await assert.rejects(
    reader.scan(source, { ...used, cpuSeconds: 10_000 }, () => undefined, signal),
    { code: 'VIDEO_TOO_SLOW' },
  );
});

test('a killed decoder is retryable, and one that fails without output is not', async () => {
  const source = memorySource(await makeVideo());
  const facts = await reader.probe(source, signal);
  const all = { ...facts, fromSeconds: 0 };
  const program = await findFfmpeg(signal);
  let killed = 0;
  const read: VideoSource['read'] = async (range, aborted) => {
    for (const pid of childrenNamed(program)) killed += Number(process.kill(pid, 'SIGKILL'));
    return source.read(range, aborted);
  };
  await assert.rejects(
    reader.scan({ ...source, read }, all, () => undefined, signal),
    { name: 'VideoReaderCrashed', message: /SIGKILL/ },
  );
  assert.equal(killed, 1);
  // Fails without a word. A script could not run here, since a decoder cannot run its interpreter.
  const broken = createVideoReader({ slots: 1, findFfmpeg: () => Promise.resolve('/bin/false') });
  const scan = broken.scan(source, all, () => undefined, signal);
  await assert.rejects(scan, { code: 'VIDEO_UNREADABLE', message: /exit code 1/ });
  const shown = { ...facts, atSeconds: 0, maxDimension: 100 };
  assert.equal(await broken.frame(source, shown, signal), undefined);
  await broken.close();
});

for (const [what, format, output] of [
  ['in fragments', 'mp4', ['-movflags', '+frag_keyframe+empty_moov+default_base_moof+skip_trailer']],
  ['as a stream', 'mkv', ['-live', '1']],
] as [string, VideoFormat, string[]][]) {
  test(`the end of a video recorded ${what} is found without reading the whole file`, async () => {
    // Most bytes are in the last third, so that the frames used to measure the rate are small.
    const scenes = ['smptebars', 'rgbtestsrc', 'mandelbrot'];
    const options = ['-g', '15', '-qp', '2'];
    const whole = await makeVideo({ scenes, size: '640x480', rate: 30, seconds: 6, options });
    const source = memorySource(await remux(whole, { output, format }), format);
    let bytes = 0;
    const read: VideoSource['read'] = (range, aborted) => {
      bytes += range.last - range.first + 1;
      return source.read(range, aborted);
    };
    const { durationSeconds } = await reader.probe({ ...source, read }, signal);
    assert.ok(Math.abs(durationSeconds - 18) < 0.2, String(durationSeconds));
    assert.ok(bytes < source.sizeBytes, `${bytes} of ${source.sizeBytes}`);
  });
}

test('names from a container are reduced to short printable text', async () => {
  const video = Buffer.from(await makeVideo({ audio: true, scenes: ['testsrc'], format: 'mkv' }));
  const codec = video.indexOf('A_VORBIS');
  video.write('A_\u0001\u00ffX   ', codec, 'latin1');
  const { audioTracks } = await reader.probe(memorySource(video, 'mkv'), signal);
  assert.deepEqual(
    audioTracks.map((track) => track.codec),
    ['A_X'],
  );
});

test('a variable frame rate is detected', async () => {
  const even = { scenes: ['testsrc'], seconds: 6, rate: 30 };
  const video = await makeVideo(even);
  const thin = await makeVideo({
    ...even,
    filter: 'select=lt(t\\,2)+not(mod(n\\,7))',
    options: ['-fps_mode', 'vfr'],
  });
  assert.equal((await reader.probe(memorySource(video), signal)).hasVariableFrameRate, false);
  assert.equal((await reader.probe(memorySource(thin), signal)).hasVariableFrameRate, true);
});

const refusals: [string, () => Promise<VideoSource>, string][] = [
  [
    'a codec that is not accepted',
    async () => memorySource(await makeVideo({ codec: 'prores', format: 'mov', scenes: ['testsrc'] }), 'mov'),
    'VIDEO_CODEC_UNSUPPORTED',
  ],
  [
    'a file without a video track',
    async () => memorySource(await remux(await makeVideo({ audio: true }), { output: ['-vn'] })),
    'VIDEO_WITHOUT_PICTURE',
  ],
  [
    'a file with too many tracks',
    async () => {
      const output = Array.from({ length: 65 }, () => ['-map', '0:v']).flat();
      return memorySource(await remux(await makeVideo({ scenes: ['testsrc'] }), { output }));
    },
    'VIDEO_TOO_COMPLEX',
  ],
  [
    'a file whose index at the end is missing',
    async () => memorySource((await makeVideo()).subarray(0, 20_000)),
    'VIDEO_UNREADABLE',
  ],
  ['noise', () => Promise.resolve(memorySource(randomBytes(50_000))), 'VIDEO_UNREADABLE'],
];
for (const [what, source, code] of refusals) {
  test(`${what} is refused: ${code}`, async () => {
    await assert.rejects(
      source().then((made) => reader.probe(made, signal)),
      { name: 'VideoRefused', code },
    );
  });
}

test('frames that cannot be decoded are refused with the message of the decoder', async () => {
  const video = Buffer.from(await makeVideo({ options: ['-movflags', '+faststart'] }));
  const data = video.indexOf('mdat');
  randomBytes(video.length - data - 8).copy(video, data + 8);
  const source = memorySource(video);
  const facts = await reader.probe(source, signal);
  const error = await reader
    .scan(source, { ...facts, fromSeconds: 0 }, () => undefined, signal)
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  if (error !== undefined) assert.ok(error instanceof VideoRefused && error.code === 'VIDEO_UNREADABLE');
});

test('an error of the store is rethrown, and not treated as the end of the video', async () => {
  const video = await makeVideo();
  const broken = new Error('the store is away');
  const source = memorySource(video);
  const facts = await reader.probe(source, signal);
  let reads = 0;
  const failing: VideoSource = {
    ...source,
    read: (range, aborted) => {
      reads += 1;
      return reads > 1
        ? Promise.reject(broken)
        : source.read({ ...range, last: range.first + 9000 }, aborted);
    },
  };
  await assert.rejects(
    reader.scan(failing, { ...facts, fromSeconds: 0 }, () => undefined, signal),
    (thrown) => thrown === broken || thrown instanceof VideoRefused,
  );
  await assert.rejects(
    reader.probe({ ...source, read: () => Promise.reject(broken) }, signal),
    (thrown) => thrown === broken,
  );
});

test('an abort ends the decoder immediately', async () => {
  const source = memorySource(await makeVideo({ seconds: 5, rate: 30, size: '640x480' }));
  const facts = await reader.probe(source, signal);
  const abort = new AbortController();
  const reason = new Error('enough');
  await assert.rejects(
    reader.scan(source, { ...facts, fromSeconds: 0 }, () => abort.abort(reason), abort.signal),
    (thrown) => thrown === reason,
  );
});

test('a scan learns that another tenant waits for the only decoder, which gets it once the scan has ended', async () => {
  const source = memorySource(await makeVideo({ seconds: 5, rate: 30, size: '640x480' }));
  const other = { ...source, tenantId: 'another' };
  const facts = await reader.probe(source, signal);
  const enough = new Error('enough');
  let frame: Promise<Buffer | undefined> | undefined;
  await assert.rejects(
    reader.scan(
      source,
      { ...facts, fromSeconds: 0 },
      async () => {
        assert.equal(reader.isAwaitedByOthers(source.tenantId), false);
        frame = reader.frame(other, { ...facts, atSeconds: 1, maxDimension: 100 }, signal);
        await eventually(async () => assert.ok(reader.isAwaitedByOthers(source.tenantId)));
        assert.equal(reader.isAwaitedByOthers(other.tenantId), false);
        throw enough;
      },
      signal,
    ),
    (thrown) => thrown === enough,
  );
  assert.ok((await frame)?.length);
  assert.equal(reader.isAwaitedByOthers(source.tenantId), false);
});
