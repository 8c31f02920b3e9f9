import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  describeVideoMeasurements,
  describeVideoPrompt,
} from '../../../adapters/models/vision/video-model.ts';
import type { VideoInput } from '../../../adapters/models/vision/vision-model.ts';

const facts = {
  colours: [{ name: 'blue', hex: '#0000ff', share: 0.8 }],
  brightness: 0.4,
  contrast: 0.4,
  colourfulness: 0.3,
  sharpness: 0.5,
  look: 'photograph',
  hasAlpha: false,
  frames: 1,
  exif: {},
} as const;
const input: VideoInput = {
  images: () => Promise.reject(new Error('not loaded')),
  filename: 'a"}.mp4',
  durationSeconds: 95,
  width: 1920,
  height: 1080,
  frameRate: 29.97,
  codec: 'hevc',
  audioTracks: [{ codec: 'aac', channels: 2, sampleRate: 48_000, language: null }],
  scenes: 3,
  keyFrames: [
    { timeSeconds: 1, facts: { ...facts, colours: [...facts.colours] }, visibleText: '' },
    {
      timeSeconds: 9,
      facts: { ...facts, colours: [{ name: 'red', hex: '#f00', share: 1 }] },
      visibleText: '',
    },
  ],
};

test('without a model, a video is described by its measurements, and no frame is loaded', () => {
  const { description, tags } = describeVideoMeasurements({ ...input, visibleText: 'Sale\nToday' });
  assert.equal(
    description,
    'A video of 1:35 in landscape format (1920 × 1080 pixels, HEVC, 29.97 frames a second, with sound). ' +
      'It has 3 scenes. Its main colours over time are blue and red. The text in it reads “Sale Today”. ' +
      'Described from measurements, without a vision model.',
  );
  for (const tag of ['video', 'landscape', 'blue', 'red', 'text', 'sound'])
    assert.ok(tags.includes(tag), tag);
});

test('the notes for the model are JSON, so a file name cannot break out of them', () => {
  const { user } = describeVideoPrompt({ ...input, visibleText: 'x'.repeat(5000) });
  const notes = JSON.parse(user.split('Notes: ')[1] ?? '') as Record<string, unknown>;
  assert.deepEqual(
    [notes['file_name'], notes['duration'], notes['has_sound'], String(notes['recognised_text']).length],
    ['a"}.mp4', '1:35', true, 2000],
  );
});
