import { useRef, useState } from 'react';
import { Card } from '../../../ui/page.tsx';
import { Description } from '../about/description.tsx';
import type { DetailOf } from '../queries.ts';
import { FILE_TEXTS } from '../texts.ts';
import { formatTime } from './format-time.ts';
import { KeyFrames, TimeLine, type KeyFrame } from './key-frames.tsx';

/** A video with its key frames on a time line, and the text that they show. */
export function VideoTab({ file }: { file: DetailOf<'video'> }) {
  const player = useRef<HTMLVideoElement>(null);
  const [time, setTime] = useState(0);
  const [isUnplayable, setUnplayable] = useState(false);
  const frames = file.key_frames ?? [];
  const seek = ({ time_seconds: to }: KeyFrame) => {
    if (player.current) player.current.currentTime = to;
    setTime(to);
  };
  const withText = frames.filter(({ visible_text: text }) => text);
  const texts = FILE_TEXTS.video;
  return (
    <div className="grid gap-5 lg:grid-cols-[minmax(0,1fr)_24rem] lg:items-start">
      <div className="flex min-w-0 flex-col gap-3">
        <video
          ref={player}
          controls
          preload="metadata"
          src={file.video_url ?? undefined}
          poster={file.full_url ?? undefined}
          aria-label={file.title}
          onTimeUpdate={(event) => setTime(event.currentTarget.currentTime)}
          onError={() => setUnplayable(true)}
          className="max-h-[70dvh] w-full rounded-2xl border border-line bg-black"
          style={{
            aspectRatio: file.dimensions ? `${file.dimensions.width} / ${file.dimensions.height}` : '16 / 9',
          }}
        />
        {isUnplayable && (
          <p role="alert" className="text-sm text-warn">
            {texts.unplayable}
          </p>
        )}
        {frames.length > 0 && (
          <>
            <TimeLine frames={frames} time={time} duration={file.duration_seconds ?? 0} onSeek={seek} />
            <KeyFrames frames={frames} time={time} onSeek={seek} />
          </>
        )}
      </div>
      <div className="flex flex-col gap-5">
        <Description file={file} />
        {withText.length > 0 && (
          <Card title={texts.text}>
            <ul className="flex flex-col gap-3">
              {withText.map((frame) => (
                <li key={frame.time_seconds}>
                  <button
                    type="button"
                    className="min-h-6 text-sm text-accent underline underline-offset-2"
                    onClick={() => seek(frame)}
                  >
                    {formatTime(frame.time_seconds)}
                  </button>
                  <p className="whitespace-pre-wrap wrap-anywhere">{frame.visible_text}</p>
                </li>
              ))}
            </ul>
          </Card>
        )}
      </div>
    </div>
  );
}
