import {
  looksAlike,
  changeBetween,
  hashDistance,
  type FrameSample,
  type FrameSignature,
} from './frame-sample.ts';

/** Small frames compared per second of video. */
export const SAMPLES_PER_SECOND = 2;
/** Maximum number of scenes; beyond it, the shortest ones are merged with their neighbours. */
export const MAX_SCENES = 240;
export const MAX_KEY_FRAMES = 24;

/** A change of this size ends a scene if it is also well above the usual change within the scene. */
const CUT = 0.2;
const CUT_FACTOR = 3;
/** A frame whose hash differs in this many bits from that of the scene's first frame starts a new scene. */
const DRIFT_BITS = 26;
const LEAST_DRIFT_SECONDS = 4;
/** Weight of the latest change in the moving average. */
const NEWEST = 0.2;

/** A continuous shot of a video. Times are in seconds from the beginning. */
export interface Scene {
  start: number;
  end: number;
  /** Hash of its first frame. */
  hash: string;
  /** The best frame, if possible not the first or last of the scene. */
  best: FrameSample;
  /** Whether `best` is the first frame; any other one is preferred. */
  bestIsEdge: boolean;
}

/** The state of a scan as JSON, from which a later attempt resumes. */
export interface ScanState {
  scannedSeconds: number;
  scenes: readonly Scene[];
  /** Moving average of the change between samples of the current scene. */
  usualChange: number;
}

/** The saved state of a scan. */
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
  /** The latest sample; becomes a candidate for the best frame if the next sample is in the same scene. */
  #candidate: FrameSample | undefined;

  constructor(state: ScanState = NEW_SCAN) {
    this.#scenes = [...state.scenes];
    this.#usualChange = state.usualChange;
    this.#scannedSeconds = state.scannedSeconds;
  }

  /**
   * The state to resume from. The sample at `scannedSeconds` must be added again first, since the next one is
   * compared with it.
   */
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

/** Merges the shortest scene, except the current one, into the next one. */
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

/** Frames with a lower brightness are black. */
const BLACK = 0.06;
const FLAT = 0.02;
/** A frame with less than this share of the video's usual sharpness is blurred. */
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
 * Chooses the key frames of a video, by time: the best frame of each scene, or of evenly spaced scenes if
 * there are more than `limit`. No two look alike, and none is black or blurred unless there are no others.
 */
export function chooseKeyFrames(scenes: readonly Scene[], limit = MAX_KEY_FRAMES): FrameSample[] {
  const frames = scenes.map(({ best }) => best);
  const usual = median(frames.map(({ sharpness }) => sharpness));
  const isBlurred = ({ contrast, sharpness }: FrameSample) => contrast > FLAT && sharpness < BLURRED * usual;
  const clear = frames.filter((frame) => !isBlack(frame) && !isBlurred(frame));
  const [brightest] = frames.toSorted((a, b) => qualityOf(b) - qualityOf(a) || a.at - b.at);
  const chosen = (clear.length > 0 ? clear : brightest ? [brightest] : []).reduce<FrameSample[]>(
    (kept, frame) => (kept.some((other) => looksAlike(other, frame)) ? kept : [...kept, frame]),
    [],
  );
  return spread(chosen, limit);
}

/** At most `limit` evenly spaced items, including the first and the last. */
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
