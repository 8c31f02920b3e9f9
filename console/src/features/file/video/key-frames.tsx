import { Picture } from '../../../ui/picture.tsx';
import { formatTime } from './format-time.ts';
import type { DetailOf } from '../queries.ts';
import { FILE_TEXTS } from '../texts.ts';

export type KeyFrame = NonNullable<DetailOf<'video'>['key_frames']>[number];

interface FramesProps {
  frames: readonly KeyFrame[];
  /** Of the player, in seconds. */
  time: number;
  onSeek: (frame: KeyFrame) => void;
}

/** Where the key frames of a video lie in it; the list below does the same for the keyboard. */
export function TimeLine({ frames, time, duration, onSeek }: FramesProps & { duration: number }) {
  const part = (seconds: number) => `${Math.min(100, (seconds / Math.max(duration, 0.001)) * 100)}%`;
  return (
    <div aria-hidden className="relative mx-1.5 h-6">
      <div className="absolute inset-x-0 top-1/2 h-1 -translate-y-1/2 rounded-full bg-line" />
      <div
        className="absolute top-1/2 left-0 h-1 -translate-y-1/2 rounded-full bg-accent"
        style={{ width: part(time) }}
      />
      {frames.map((frame) => (
        <button
          key={frame.time_seconds}
          type="button"
          tabIndex={-1}
          title={formatTime(frame.time_seconds)}
          onClick={() => onSeek(frame)}
          className="absolute top-1/2 size-3 -translate-1/2 rounded-full border-2 border-accent bg-surface hover:bg-accent"
          style={{ left: part(frame.time_seconds) }}
        />
      ))}
    </div>
  );
}

/** The key frames of a video, each of which leads to its time. */
export function KeyFrames({ frames, time, onSeek }: FramesProps) {
  const texts = FILE_TEXTS.video;
  const current = frames.findLast(({ time_seconds: at }) => at <= time + 0.05);
  return (
    <section aria-label={texts.frames}>
      <ol className="flex gap-2 overflow-x-auto p-1">
        {frames.map((frame) => (
          <li key={frame.time_seconds}>
            <button
              type="button"
              aria-label={texts.seek(formatTime(frame.time_seconds))}
              aria-current={frame === current || undefined}
              onClick={() => onSeek(frame)}
              className="block w-32 rounded-lg border-2 border-transparent text-left aria-[current=true]:border-accent"
            >
              <span className="block aspect-video overflow-hidden rounded-md bg-sunken">
                <Picture src={frame.thumbnail_url} alt="" blurHash={frame.blur_hash} />
              </span>
              <span className="block px-1 text-sm text-muted tabular-nums">
                {formatTime(frame.time_seconds)}
              </span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
