import { formatDuration, formatMilliseconds, formatSeconds } from '../../../lib/format.ts';
import type { Timeline } from '../queries.ts';
import { FILE_TEXTS } from '../texts.ts';

type TimelineRun = Timeline['runs'][number];
type TimelineStep = TimelineRun['steps'][number];

/** Milliseconds since the epoch. */
interface Span {
  from: number;
  to: number;
}

const at = (instant: string) => new Date(instant).getTime();

/** From the beginning of a run to its end, or to now. */
export function spanOf({ started_at: from, ended_at: to }: TimelineRun): Span {
  return { from: at(from), to: to === null ? Date.now() : at(to) };
}

/** `340ms`, `12.7s`, `3:07` */
export function formatMs(ms: number): string {
  if (ms < 1000) return formatMilliseconds(Math.max(0, Math.round(ms)));
  return ms < 60_000 ? formatSeconds(ms / 1000) : formatDuration(ms / 1000);
}

const BARS: Record<TimelineStep['outcome'], string> = {
  waiting: 'bg-strong-line',
  running: 'bg-busy',
  completed: 'bg-good',
  failed: 'bg-bad',
  cancelled: 'bg-strong-line',
};

/** When a step waited, thin, and when its last attempt ran, thick, on the time line of its run. */
export function TimeBar({ step, span }: { step: TimelineStep; span: Span }) {
  const scheduled = at(step.scheduled_at);
  const end = step.ended_at === null ? span.to : at(step.ended_at);
  const began = step.started_at === null ? end : at(step.started_at);
  const length = Math.max(1, span.to - span.from);
  const place = (from: number, to: number) => ({
    left: `${(Math.max(0, from - span.from) / length) * 100}%`,
    width: `${(Math.max(0, to - from) / length) * 100}%`,
  });
  const { waitedAndRan } = FILE_TEXTS.processing;
  return (
    <div
      role="img"
      aria-label={waitedAndRan(
        formatMs(scheduled - span.from),
        formatMs(began - scheduled),
        formatMs(end - began),
      )}
      title={waitedAndRan(
        formatMs(scheduled - span.from),
        formatMs(began - scheduled),
        formatMs(end - began),
      )}
      className="relative h-4 rounded bg-sunken"
    >
      <div
        className="absolute top-1/2 h-0.5 -translate-y-1/2 bg-strong-line"
        style={place(scheduled, began)}
      />
      <div
        className={`absolute inset-y-0.5 min-w-0.5 rounded-sm ${BARS[step.outcome]}`}
        style={place(began, end)}
      />
    </div>
  );
}
