import {
  areAlike,
  changeBetween,
  hashDistance,
  type FrameSample,
  type FrameSignature,
} from './frame-sample.ts';

/** Small frames compared per second of video. */
export const SAMPLES_PER_SECOND = 2;
/** Scenes that are remembered; further ones are joined to their neighbours. */
export const MAX_SCENES = 240;
export const MAX_KEY_FRAMES = 24;

/** A change this large ends a scene, if it is also well above the usual change within it. */
const CUT = 0.2;
const CUT_FACTOR = 3;
/** A frame that differs in this many bits of its hash from the first of its scene shows something else. */
const DRIFT_BITS = 26;
const LEAST_DRIFT_SECONDS = 4;
/** Weight of the newest change in the usual one. */
const NEWEST = 0.2;

/** Part of a video that shows one thing. Seconds from the beginning. */
export interface Scene {
  start: number;
  end: number;
  /** Hash of its first frame. */
  hash: string;
  /** Its best frame, away from its edges where it has several. */
  best: FrameSample;
  /** Whether `best` is its first frame, and any other is preferred. */
  bestIsEdge: boolean;
}

/** The scan up to some time, as JSON: a later attempt continues there. */
export interface ScanState {
  scannedSeconds: number;
  scenes: readonly Scene[];
  /** The usual change between two samples of the present scene. */
  usualChange: number;
}

/** A scan as it is saved. */
export interface SavedScan extends ScanState {
  /** Processor time of all attempts so far. */
  cpuSeconds: number;
}

export const NEW_SCAN: ScanState = { scannedSeconds: 0, scenes: [], usualChange: 0 };

/** Divides a video into scenes, sample by sample. */
export class SceneScan {
  #scenes: Scene[];
  #usualChange: number;
  #scannedSeconds: number;
  #last: FrameSignature | undefined;
  /** Belongs to the present scene; its best frame if the next sample is in the same scene. */
  #candidate: FrameSample | undefined;

  constructor(state: ScanState = NEW_SCAN) {
    this.#scenes = [...state.scenes];
    this.#usualChange = state.usualChange;
    this.#scannedSeconds = state.scannedSeconds;
  }

  /** The sample at `scannedSeconds` is to be added again by whoever continues from it: the next is compared with it. */
  get state(): ScanState {
    return {
      scannedSeconds: this.#scannedSeconds,
      scenes: [...this.#scenes],
      usualChange: this.#usualChange,
    };
  }

  /** @param sample later than all before it, or the last one again */
  add(sample: FrameSample, signature: FrameSignature): void {
    const scene = this.#scenes.at(-1);
    const change = this.#last && changeBetween(this.#last, signature);
    this.#last = signature;
    this.#scannedSeconds = sample.at;
    if (!scene || (change !== undefined && this.#isCut(scene, sample, change))) {
      this.#begin(sample);
      return;
    }
    if (change !== undefined) this.#usualChange += NEWEST * (change - this.#usualChange);
    if (this.#candidate) this.#offer(scene, this.#candidate);
    this.#candidate = sample.at > scene.start ? sample : undefined;
    this.#scenes[this.#scenes.length - 1] = { ...(this.#scenes.at(-1) ?? scene), end: sample.at };
  }

  #isCut(scene: Scene, sample: FrameSample, change: number): boolean {
    if (change > CUT && change > CUT_FACTOR * this.#usualChange) return true;
    const drifted = hashDistance(scene.hash, sample.hash) >= DRIFT_BITS;
    return drifted && sample.at - scene.start >= LEAST_DRIFT_SECONDS;
  }

  #begin(sample: FrameSample): void {
    const { at, hash } = sample;
    this.#candidate = undefined;
    this.#usualChange = 0;
    this.#scenes.push({ start: at, end: at, hash, best: sample, bestIsEdge: true });
    if (this.#scenes.length > MAX_SCENES) joinShortest(this.#scenes);
  }

  #offer(scene: Scene, sample: FrameSample): void {
    if (!scene.bestIsEdge && qualityOf(sample) <= qualityOf(scene.best)) return;
    this.#scenes[this.#scenes.length - 1] = { ...scene, best: sample, bestIsEdge: false };
  }
}

/** Joins the shortest scene but the present one to the one after it. */
function joinShortest(scenes: Scene[]): void {
  let shortest = 0;
  const length = (at: number) => (scenes[at + 1]?.start ?? Infinity) - (scenes[at]?.start ?? 0);
  for (let at = 1; at < scenes.length - 1; at += 1) if (length(at) < length(shortest)) shortest = at;
  const [first, second] = scenes.slice(shortest, shortest + 2);
  if (!first || !second) return;
  const better = qualityOf(first.best) > qualityOf(second.best) ? first : second;
  const { best, bestIsEdge } = better;
  scenes.splice(shortest, 2, { ...second, start: first.start, hash: first.hash, best, bestIsEdge });
}

/** Darker frames are black. */
const BLACK = 0.06;
const FLAT = 0.02;
/** A frame that shows something, with less than this share of the usual sharpness of the video, is blurred. */
const BLURRED = 0.25;

/** Higher is better: crisp, rich in contrast, neither dark nor glaring. */
function qualityOf({ sharpness, contrast, brightness }: FrameSample): number {
  const exposure = 1 - Math.abs(brightness - 0.5);
  return isBlack({ brightness, contrast }) ? 0 : (sharpness + 0.001) * (contrast + 0.01) * exposure;
}

function isBlack({ brightness, contrast }: Pick<FrameSample, 'brightness' | 'contrast'>): boolean {
  return brightness < BLACK || (brightness < 2 * BLACK && contrast < FLAT);
}

/**
 * The frames that show what is in a video, by time: the best of each scene, spread evenly over the scenes if there are
 * more than the limit. No two are alike, and none is black or blurred unless there is nothing else.
 */
export function chooseKeyFrames(scenes: readonly Scene[], limit = MAX_KEY_FRAMES): FrameSample[] {
  const frames = scenes.map(({ best }) => best);
  const usual = median(frames.map(({ sharpness }) => sharpness));
  const isBlurred = ({ contrast, sharpness }: FrameSample) => contrast > FLAT && sharpness < BLURRED * usual;
  const clear = frames.filter((frame) => !isBlack(frame) && !isBlurred(frame));
  const [brightest] = frames.toSorted((a, b) => qualityOf(b) - qualityOf(a) || a.at - b.at);
  const chosen = (clear.length > 0 ? clear : brightest ? [brightest] : []).reduce<FrameSample[]>(
    (kept, frame) => (kept.some((other) => areAlike(other, frame)) ? kept : [...kept, frame]),
    [],
  );
  return spread(chosen, limit);
}

/** At most so many of them, evenly, with the first and the last. */
export function spread<T>(all: readonly T[], limit: number): T[] {
  if (all.length <= limit) return [...all];
  const step = (all.length - 1) / (limit - 1);
  return Array.from({ length: limit }, (_, at) => all[Math.round(at * step)]).filter(
    (one) => one !== undefined,
  );
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
