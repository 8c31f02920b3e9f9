import { clockTime, type VideoFacts } from '../../../domain/videos/video.ts';
import { describeVideoV1 } from '../prompts.ts';
import { contentSentence, contentTags, type Content } from '../sight/content-words.ts';
import { lastSentence, mainColours } from './describe-measurements.ts';
import { imageWords } from './image-words.ts';
import { cleanTags, cleanText, type VisionAnswer } from './vision-answer.ts';
import type { VideoInput } from './vision-model.ts';
import type { VisionPrompt } from './vision-prompt.ts';

/** Enough text to show what a video is about. */
const MAX_TEXT = 2_000;
const MAX_QUOTE = 300;

/** The text that precedes the frames, each of which follows the time at which it is shown. */
export function describeVideoPrompt(input: VideoInput): VisionPrompt {
  const { version, system, user } = describeVideoV1;
  const text = input.visibleText?.trim();
  const notes = {
    file_name: input.filename,
    duration: clockTime(input.durationSeconds),
    width: input.width,
    height: input.height,
    has_sound: input.audioTracks.length > 0,
    ...(text && { recognised_text: text.slice(0, MAX_TEXT).toWellFormed() }),
  };
  return { version, system, user: `${user}\nNotes: ${JSON.stringify(notes)}` };
}

const CODEC_NAMES: Readonly<Record<VideoFacts['codec'], string>> = {
  h264: 'H.264',
  hevc: 'HEVC',
  vp8: 'VP8',
  vp9: 'VP9',
  av1: 'AV1',
  mpeg4: 'MPEG-4',
};

/** A few English sentences and keywords from what was measured; the last sentence states that. */
export function describeVideoMeasurements(
  input: VideoInput,
  content?: Content,
): Pick<VisionAnswer, 'description' | 'tags'> {
  const seen = content && contentSentence(content);
  const { width, height, keyFrames, durationSeconds } = input;
  const words = keyFrames.map(({ facts }) => imageWords(facts, width, height));
  const tones = [
    ...new Set(keyFrames.flatMap(({ facts }) => mainColours(facts).slice(0, 1)).map(({ name }) => name)),
  ];
  const orientation = words[0]?.orientation ?? 'landscape';
  const sound = input.audioTracks.length > 0 ? 'with sound' : 'without sound';
  const rate = input.frameRate > 0 ? `${Math.round(input.frameRate * 100) / 100} frames a second, ` : '';
  const details = `${width} × ${height} pixels, ${CODEC_NAMES[input.codec]}, ${rate}${sound}`;
  const text = input.visibleText?.replaceAll(/\s+/g, ' ').trim();
  const sentences = [
    seen,
    `A video of ${clockTime(durationSeconds)} in ${orientation === 'panorama' ? 'very wide' : orientation} format (${details}).`,
    input.scenes > 1 ? `It has ${input.scenes} scenes.` : 'It has a single scene.',
    tones.length > 0 && `Its main colours over time are ${list(tones.slice(0, 6))}.`,
    text && `The text in it reads “${cleanText(text, MAX_QUOTE)}”.`,
    lastSentence(seen),
  ];
  const tags = [
    ...(content ? contentTags(content) : []),
    'video',
    orientation,
    ...tones,
    ...words.flatMap(({ orientation: _shape, ...rest }) => Object.values<string>(rest)),
    ...(text ? ['text'] : []),
    input.audioTracks.length > 0 ? 'sound' : 'silent',
  ];
  return {
    description: cleanText(sentences.filter((sentence) => Boolean(sentence)).join(' ')),
    tags: cleanTags(tags),
  };
}

function list(parts: readonly string[]): string {
  return new Intl.ListFormat('en', { type: 'conjunction' }).format(parts);
}
