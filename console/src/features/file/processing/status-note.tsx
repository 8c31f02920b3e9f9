import { useQuery } from '@tanstack/react-query';
import type { FileDetail } from 'darkroom-client';
import { CircleAlert, LoaderCircle } from 'lucide-react';
import { Button } from '../../../ui/button.tsx';
import { explain, statusOf } from '../../../ui/status.tsx';
import { processingQuery } from '../queries.ts';
import { FILE_TEXTS } from '../texts.ts';

const TONES = {
  pending: 'border-line bg-surface',
  processing: 'border-busy/40 bg-busy-soft',
  partially_completed: 'border-warn/40 bg-warn-soft',
  failed: 'border-bad/40 bg-bad-soft',
  cancelled: 'border-line bg-surface',
  completed: '',
} as const;

/** One sentence that says why a file is not done, above everything else; nothing for one that is. */
export function StatusNote({ file, onOpen }: { file: FileDetail; onOpen: () => void }) {
  const { id } = file;
  const status = statusOf(file);
  const isDone = status === 'completed';
  const { data } = useQuery({ ...processingQuery(id), enabled: !isDone });
  if (isDone) return null;
  const isOpen = status === 'pending' || status === 'processing';
  return (
    <div
      className={`flex flex-wrap items-center justify-between gap-3 rounded-xl border px-4 py-2.5 ${TONES[status]}`}
    >
      <p role="status" className="flex min-w-0 items-center gap-3 wrap-anywhere">
        {isOpen ? (
          <LoaderCircle aria-hidden className="size-4 shrink-0 animate-spin text-busy" />
        ) : (
          <CircleAlert
            aria-hidden
            className={`size-4 shrink-0 ${status === 'cancelled' ? 'text-muted' : 'text-bad'}`}
          />
        )}
        {explain(file, data?.explanation ?? file.explanation)}
      </p>
      <Button size="small" onClick={onOpen}>
        {FILE_TEXTS.processing.why}
      </Button>
    </div>
  );
}
