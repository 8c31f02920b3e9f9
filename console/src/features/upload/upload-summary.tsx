import { Pause, Play, RotateCw } from 'lucide-react';
import { useState } from 'react';
import { formatBytes, formatNumber } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { ProgressBar } from '../../ui/status.tsx';
import { UPLOAD_TEXTS } from './texts.ts';
import { isOpen } from './upload-item.ts';
import type { UploadQueue, UploadSnapshot } from './upload-queue.ts';
import type { UploadSender } from './upload-sender.ts';

const texts = UPLOAD_TEXTS;
/** Announcing every file would drown everything else that a screen reader says. */
const ANNOUNCED_SHARE = 4;

/** The progress of all together: bytes, then processing; pause, resume, cancel, retry, clear. */
export function UploadSummary({
  queue,
  sender,
  snapshot: { items, totals, standstill },
}: {
  queue: UploadQueue;
  sender: UploadSender;
  snapshot: UploadSnapshot;
}) {
  const [isAsking, setAsking] = useState(false);
  const { byState, count } = totals;
  const open = byState.pending + byState.uploading;
  const over = count - open - byState.processing;
  const retryable = items.filter(({ state, canRetry }) => state === 'refused' && canRetry);
  const cancelAll = () => {
    sender.cancel(items.filter(isOpen).map(({ id }) => id));
    setAsking(false);
  };
  const quarter = count > 0 ? Math.floor((over / count) * ANNOUNCED_SHARE) : 0;
  const announced = Math.floor((quarter / ANNOUNCED_SHARE) * count);
  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-x-6 gap-y-3 sm:grid-cols-2">
        <Bar
          label={texts.sentBytes}
          text={texts.of(formatBytes(totals.sentBytes), formatBytes(totals.bytes))}
          value={totals.bytes > 0 ? totals.sentBytes / totals.bytes : Number(open === 0)}
        />
        <Bar
          label={texts.processed}
          text={texts.of(formatNumber(over), formatNumber(count))}
          value={count > 0 ? over / count : 1}
        />
      </div>
      {standstill && open > 0 && (
        <p className="rounded-lg bg-warn-soft px-3 py-2 text-sm text-ink">{texts.standstill[standstill]}</p>
      )}
      <div className="flex flex-wrap gap-2">
        {open > 0 && standstill === null && (
          <Button size="small" icon={Pause} onClick={() => sender.pause()}>
            {texts.pause}
          </Button>
        )}
        {open > 0 && standstill !== null && (
          <Button size="small" variant="primary" icon={Play} onClick={() => sender.resume()}>
            {texts.resume}
          </Button>
        )}
        {open > 0 && (
          <Button size="small" onClick={() => setAsking(true)}>
            {texts.cancelAll}
          </Button>
        )}
        {retryable.length > 0 && (
          <Button size="small" icon={RotateCw} onClick={() => sender.retry(retryable.map(({ id }) => id))}>
            {texts.retryAll(retryable.length)}
          </Button>
        )}
        {items.length > open + byState.processing && (
          <Button size="small" onClick={() => void queue.clear(() => true)}>
            {texts.clear}
          </Button>
        )}
      </div>
      <p role="status" className="sr-only">
        {standstill && open > 0 ? texts.standstill[standstill] : texts.announce(announced, count)}
      </p>
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={cancelAll}
        title={texts.cancelAllQuestion}
        action={texts.cancelAll}
        keep={texts.keep}
      >
        {texts.cancelAllNote(open)}
      </ConfirmDialog>
    </div>
  );
}

function Bar({ label, text, value }: { label: string; text: string; value: number }) {
  return (
    <div className="flex flex-col gap-1.5">
      <p className="flex justify-between gap-2 text-sm">
        <span className="font-medium">{label}</span>
        <span className="text-muted tabular-nums">{text}</span>
      </p>
      <ProgressBar label={label} value={value} />
    </div>
  );
}
