import { DAY_MS, HOUR_MS, type TimeRange } from './periods.ts';

/** Progress of the rollups. */
export interface RollupState {
  /** All hours before this time are rolled up, and all days that end before it. */
  rolledUpTo: Date;
  /** Earlier hours whose rollup lacks events. */
  lateHours: readonly Date[];
}

/** The sources of a range's figures: rollups of days and hours, and events. */
export interface SplitRange {
  days: TimeRange[];
  hours: TimeRange[];
  events: TimeRange[];
}

/** Milliseconds since 1970: start inclusive, end exclusive. */
type Span = readonly [number, number];

/**
 * Divides a range so that each moment is covered once, as coarsely as possible.
 *
 * @param grain the coarsest that the caller can use
 */
export function splitRange(
  { from, to }: TimeRange,
  { rolledUpTo, lateHours }: RollupState,
  grain: 'hour' | 'day' = 'day',
): SplitRange {
  const whole: Span = [from.getTime(), to.getTime()];
  const [rolledUp, edges] = cut([whole], HOUR_MS, rolledUpTo.getTime());
  const late = lateHours
    .map((hour): Span => [hour.getTime(), hour.getTime() + HOUR_MS])
    .filter(([start, end]) => rolledUp.some((span) => span[0] <= start && end <= span[1]))
    .toSorted(([a], [b]) => a - b);
  const onTime = late.reduce<Span[]>((spans, hour) => spans.flatMap((span) => without(span, hour)), rolledUp);
  const [days, hours] = grain === 'day' ? cut(onTime, DAY_MS, rolledUpTo.getTime()) : [[], onTime];
  return { days: toRanges(days), hours: toRanges(hours), events: toRanges([...edges, ...late]) };
}

/** The whole units within spans, up to a time, and the remaining spans. */
function cut(spans: readonly Span[], unit: number, until: number): [Span[], Span[]] {
  const inner: Span[] = [];
  const rest: Span[] = [];
  for (const [from, to] of spans) {
    const start = Math.ceil(from / unit) * unit;
    const end = Math.floor(Math.min(to, until) / unit) * unit;
    if (start < end) {
      inner.push([start, end]);
      rest.push([from, start], [end, to]);
    } else rest.push([from, to]);
  }
  return [inner, rest.filter(([from, to]) => from < to)];
}

function without([from, to]: Span, [start, end]: Span): Span[] {
  if (end <= from || to <= start) return [[from, to]];
  return (
    [
      [from, start],
      [end, to],
    ] as const
  ).filter(([a, b]) => a < b);
}

function toRanges(spans: readonly Span[]): TimeRange[] {
  return spans.map(([from, to]) => ({ from: new Date(from), to: new Date(to) }));
}
