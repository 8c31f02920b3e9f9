import type { DetectedObject } from '../../../domain/image-analysis.ts';

/** COCO's classes by their numbers from 1; those without a name are not used. */
const NAMES =
  'person,bicycle,car,motorcycle,airplane,bus,train,truck,boat,traffic light,fire hydrant,,stop sign,parking meter,bench,bird,cat,dog,horse,sheep,cow,elephant,bear,zebra,giraffe,,backpack,umbrella,,,handbag,tie,suitcase,frisbee,skis,snowboard,sports ball,kite,baseball bat,baseball glove,skateboard,surfboard,tennis racket,bottle,,wine glass,cup,fork,knife,spoon,bowl,banana,apple,sandwich,orange,broccoli,carrot,hot dog,pizza,donut,cake,chair,couch,potted plant,bed,,dining table,,,toilet,,tv,laptop,mouse,remote,keyboard,cell phone,microwave,oven,toaster,sink,refrigerator,,book,clock,vase,scissors,teddy bear,hair drier,toothbrush'.split(
    ',',
  );
export const OBJECT_NAMES: readonly string[] = NAMES.filter((name) => name !== '');
const ANCHORS = 1917;
/** Offsets of a box, then a score of nothing and of each number. */
const WIDTH = 95;
const OFFSETS = 4;
/** What the offsets are scaled by: places and sizes. */
const PLACE = 0.1;
const SIZE = 0.2;
/** Boxes of one class that share more of their area show one object. */
const SAME = 0.5;
export const MAX_OBJECTS = 50;

/**
 * The objects in the answer of the detector, surest first.
 *
 * @param answer rows of the anchors, see engines/models/convert/coco-ssd.ts
 * @param anchors top, left, bottom, right of each
 * @param least score of an object
 */
export function findObjects(answer: Float32Array, anchors: Float32Array, least: number): DetectedObject[] {
  const found: DetectedObject[] = [];
  for (let anchor = 0; anchor < ANCHORS; anchor++) {
    const row = answer.subarray(anchor * WIDTH, (anchor + 1) * WIDTH);
    const scores = row.subarray(OFFSETS + 1);
    let best = 0;
    for (let at = 1; at < scores.length; at++) if ((scores[at] ?? 0) > (scores[best] ?? 0)) best = at;
    const [label, score = 0] = [NAMES[best], scores[best]];
    if (!label || score < least) continue;
    found.push({ label, score: round(score), box: boxOf(row, anchors.subarray(anchor * 4, anchor * 4 + 4)) });
  }
  const kept: DetectedObject[] = [];
  for (const object of found.toSorted((a, b) => b.score - a.score)) {
    if (kept.length === MAX_OBJECTS) break;
    if (kept.every(({ label, box }) => label !== object.label || shared(box, object.box) < SAME))
      kept.push(object);
  }
  return kept;
}

function boxOf(
  row: Float32Array,
  [top = 0, left = 0, bottom = 0, right = 0]: Float32Array,
): DetectedObject['box'] {
  const [y = 0, x = 0, tall = 0, wide = 0] = row;
  const [height, width] = [bottom - top, right - left];
  const [middleY, middleX] = [
    y * PLACE * height + (top + bottom) / 2,
    x * PLACE * width + (left + right) / 2,
  ];
  const [halfHeight, halfWidth] = [(Math.exp(tall * SIZE) * height) / 2, (Math.exp(wide * SIZE) * width) / 2];
  return {
    xMin: round(within(middleX - halfWidth)),
    yMin: round(within(middleY - halfHeight)),
    xMax: round(within(middleX + halfWidth)),
    yMax: round(within(middleY + halfHeight)),
  };
}

type Box = DetectedObject['box'];

function shared(a: Box, b: Box): number {
  const width = Math.min(a.xMax, b.xMax) - Math.max(a.xMin, b.xMin);
  const height = Math.min(a.yMax, b.yMax) - Math.max(a.yMin, b.yMin);
  if (width <= 0 || height <= 0) return 0;
  return (width * height) / (areaOf(a) + areaOf(b) - width * height);
}

/** Share of the image. */
export const areaOf = ({ xMin, yMin, xMax, yMax }: Box): number => (xMax - xMin) * (yMax - yMin);
const within = (value: number) => Math.min(1, Math.max(0, value));
const round = (value: number) => Math.round(value * 10_000) / 10_000;
