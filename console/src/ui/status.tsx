import { LANGUAGE } from '../lib/language.ts';
import { TEXTS } from '../texts.ts';

export type Status = keyof typeof TEXTS.status;

const TONES = {
  pending: 'bg-sunken text-muted',
  queued: 'bg-sunken text-muted',
  uploading: 'bg-busy-soft text-busy',
  processing: 'bg-busy-soft text-busy',
  running: 'bg-busy-soft text-busy',
  imported: 'bg-good-soft text-good',
  rolling_back: 'bg-busy-soft text-busy',
  rolled_back: 'bg-warn-soft text-warn',
  completed: 'bg-good-soft text-good',
  partially_completed: 'bg-warn-soft text-warn',
  partial: 'bg-warn-soft text-warn',
  failed: 'bg-bad-soft text-bad',
  skipped: 'bg-sunken text-muted',
  cancelled: 'bg-sunken text-muted',
  expired: 'bg-warn-soft text-warn',
  paused: 'bg-warn-soft text-warn',
} as const satisfies Record<Status, string>;

/** The status of a file, a component or a session, by word and by colour. */
export function StatusBadge({ status }: { status: Status }) {
  return <Badge tone={TONES[status]}>{TEXTS.status[status]}</Badge>;
}

/** The status of a file as people say it: one that was cancelled has not failed. */
export function statusOf<S extends Status>(file: {
  primary_status: S;
  failure_kind: string | null;
}): S | 'cancelled' {
  return file.failure_kind === 'cancelled' ? 'cancelled' : file.primary_status;
}

/**
 * Why a file is not done: the sentence of the API where people read English, which has values that no code says, and
 * elsewhere that of its status or of the kind of its failure.
 */
export function explain(
  {
    primary_status: status,
    failure_kind: kind,
  }: {
    primary_status: keyof typeof TEXTS.explanations;
    failure_kind: keyof typeof TEXTS.failureKinds | null;
  },
  english: string,
): string {
  if (LANGUAGE === 'en') return english;
  return kind === null ? TEXTS.explanations[status] : TEXTS.failureKinds[kind];
}

/** A short word with a background. `tone` is a pair of classes for both. */
export function Badge({ tone = 'bg-sunken text-muted', children }: { tone?: string; children: string }) {
  return (
    <span
      className={`inline-flex h-6 items-center rounded-full px-2.5 text-xs font-medium whitespace-nowrap ${tone}`}
    >
      {children}
    </span>
  );
}

/** @param value of `max`; undefined while it is not known how long it takes */
export function ProgressBar({
  label,
  value,
  max = 1,
}: {
  label: string;
  value: number | undefined;
  max?: number;
}) {
  const share = value === undefined || max <= 0 ? undefined : Math.min(1, value / max);
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={share === undefined ? undefined : Math.round(share * 100)}
      className="h-1.5 w-full overflow-hidden rounded-full bg-sunken"
    >
      <div
        className={`h-full rounded-full bg-accent transition-[width] ${share === undefined ? 'w-1/3 animate-pulse' : ''}`}
        style={share === undefined ? undefined : { width: `${share * 100}%` }}
      />
    </div>
  );
}
