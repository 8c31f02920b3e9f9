import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { looksAlike, hashDistance, sampleFrame, smallSize } from '../../../domain/videos/frame-sample.ts';
import { bestThumbnail, textOfFrames } from '../../../domain/videos/key-frames.ts';
import { chooseKeyFrames, MAX_KEY_FRAMES, MAX_SCENES, SceneScan } from '../../../domain/videos/scenes.ts';
import { checkVideo, clockTime, MAX_VIDEO_SECONDS, type ClaimedVideo } from '../../../domain/videos/video.ts';

const [WIDTH, HEIGHT] = [64, 48];

/** A frame with outlines and tones that depend on a seed; black for 0, and soft with `blur`. */
function frameOf(seed: number, blur = 1): Uint8Array {
  const data = new Uint8Array(WIDTH * HEIGHT * 1.5).fill(seed === 0 ? 0 : 60 + ((seed * 37) % 120));
  data.fill(128, WIDTH * HEIGHT);
  if (seed === 0) return data;
  for (let row = 0; row < HEIGHT; row += 1) {
    for (let column = 0; column < WIDTH; column += 1) {
      const cell = Math.floor(row / 6) * 11 + Math.floor(column / 6);
      const bright = ((cell * 7919 + seed * 104_729) % 97) / 97;
      data[row * WIDTH + column] = Math.round(20 + 200 * (0.5 + (bright - 0.5) / blur));
    }
  }
  return data;
}

function scanOf(seeds: readonly number[], scan = new SceneScan(), from = 0): SceneScan {
  for (const [index, seed] of seeds.entries()) {
    const frame = { data: frameOf(seed), width: WIDTH, height: HEIGHT };
    const { sample, signature } = sampleFrame(frame, from + index / 2);
    scan.add(sample, signature);
  }
  return scan;
}

const scenesOfTwoSeconds = (seeds: readonly number[]) => seeds.flatMap((seed) => Array<number>(4).fill(seed));

test('each cut begins a scene, whose best frame is not at its edges', () => {
  const { scenes } = scanOf(scenesOfTwoSeconds([1, 2, 3])).state;
  assert.deepEqual(
    scenes.map(({ start, end }) => [start, end]),
    [
      [0, 1.5],
      [2, 3.5],
      [4, 5.5],
    ],
  );
  for (const { start, end, best } of scenes) assert.ok(best.at > start && best.at < end);
});

test('a scan continues from where it was saved, at any sample, and finds the same scenes', () => {
  const seeds = scenesOfTwoSeconds([1, 2, 3, 4, 5]);
  const whole = scanOf(seeds).state.scenes;
  fc.assert(
    fc.property(fc.integer({ min: 1, max: seeds.length - 1 }), (cut) => {
      const saved = structuredClone(scanOf(seeds.slice(0, cut)).state);
      const from = saved.scannedSeconds;
      const continued = scanOf(seeds.slice(from * 2), new SceneScan(saved), from).state.scenes;
      assert.deepEqual(
        continued.map(({ start, end }) => [start, end]),
        whole.map(({ start, end }) => [start, end]),
      );
    }),
  );
});

test('there are at most 24 key frames, in order, all different, and none is black', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40), { minLength: 1, maxLength: 200 }), (seeds) => {
      const chosen = chooseKeyFrames(scanOf(scenesOfTwoSeconds(seeds)).state.scenes);
      assert.ok(chosen.length >= 1 && chosen.length <= MAX_KEY_FRAMES);
      for (const [at, frame] of chosen.entries()) {
        assert.ok(seeds.every((seed) => seed === 0) || frame.brightness > 0.06, 'black');
        assert.ok(chosen.slice(0, at).every((other) => other.at < frame.at && !looksAlike(other, frame)));
      }
    }),
    { numRuns: 30 },
  );
});

test('a black video still has one key frame', () => {
  assert.equal(chooseKeyFrames(scanOf([0, 0, 0, 0]).state.scenes).length, 1);
});

test('a blurred scene is omitted', () => {
  const scan = scanOf(scenesOfTwoSeconds([1, 2]));
  for (let index = 0; index < 4; index += 1) {
    const frame = { data: frameOf(3, 8), width: WIDTH, height: HEIGHT };
    const { sample, signature } = sampleFrame(frame, 4 + index / 2);
    scan.add(sample, signature);
  }
  assert.equal(scan.state.scenes.length, 3);
  assert.ok(chooseKeyFrames(scan.state.scenes).every(({ at }) => at < 4));
});

test('the number of stored scenes is limited', () => {
  const seeds = Array.from({ length: 600 }, (_, index) => (index % 40) + 1);
  const { scenes } = scanOf(seeds).state;
  assert.ok(scenes.length <= MAX_SCENES);
  assert.equal(scenes[0]?.start, 0);
  assert.equal(scenes.at(-1)?.end, 299.5);
});

test('scaled frames keep the aspect ratio and have even sides', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8192 }), fc.integer({ min: 1, max: 8192 }), (width, height) => {
      const small = smallSize({ width, height }, 160);
      for (const side of Object.values(small)) assert.ok(side >= 2 && side <= 160 && side % 2 === 0);
    }),
  );
  assert.equal(hashDistance('0000000000000000', 'ffffffffffffffff'), 64);
});

const claimed: ClaimedVideo = {
  codec: 'h264',
  codecName: 'avc',
  width: 1920,
  height: 1080,
  track: 0,
  rotation: 0,
  durationSeconds: 60,
  frameRate: 25,
  hasVariableFrameRate: false,
  audioTracks: [],
};

const CLAIMS: [claims: Partial<ClaimedVideo>, code: string | undefined][] = [
  [{}, undefined],
  [{ codec: undefined, codecName: 'prores' }, 'VIDEO_CODEC_UNSUPPORTED'],
  [{ width: 15_360, height: 8640 }, 'VIDEO_TOO_LARGE'],
  [{ width: 0 }, 'VIDEO_UNREADABLE'],
  [{ durationSeconds: 0 }, 'VIDEO_EMPTY'],
  [{ durationSeconds: Number.NaN }, 'VIDEO_EMPTY'],
  [{ durationSeconds: MAX_VIDEO_SECONDS + 1 }, 'VIDEO_TOO_LONG'],
];
for (const [claims, code] of CLAIMS) {
  test(`a container that claims ${JSON.stringify(claims)} is ${code ?? 'accepted'}`, () => {
    const checked = checkVideo({ ...claimed, ...claims });
    assert.equal('refusal' in checked ? checked.refusal.code : undefined, code);
  });
}

test('times are written in a readable notation', () => {
  assert.deepEqual([0, 7.9, 725, 3723].map(clockTime), ['0:00', '0:07', '12:05', '1:02:03']);
});

test('the text of a video has each line once, in the order of the frames', () => {
  const frames = [{ visibleText: 'Title\nby A' }, { visibleText: null }, { visibleText: 'Title\n\nEnd' }];
  assert.equal(textOfFrames(frames), 'Title\nby A\nEnd');
  assert.equal(textOfFrames([]), null);
});

test('the thumbnail is well exposed and colourful', () => {
  const facts = {
    colours: [],
    contrast: 0.3,
    colourfulness: 0.4,
    sharpness: 0.5,
    hasAlpha: false,
    frames: 1,
    exif: {},
  };
  const frames = [
    { at: 1, imageFacts: { ...facts, brightness: 0.05, look: 'photograph' as const } },
    { at: 2, imageFacts: { ...facts, brightness: 0.5, look: 'photograph' as const } },
    { at: 3, imageFacts: { ...facts, brightness: 0.5, look: 'blank' as const } },
  ];
  assert.equal(bestThumbnail(frames)?.at, 2);
});
