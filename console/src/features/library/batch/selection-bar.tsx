import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, IconButton } from '../../../ui/button.tsx';
import { ProgressBar } from '../../../ui/status.tsx';
import type { Selection } from '../selection.ts';
import { LIBRARY_TEXTS } from '../texts.ts';
import type { Batch } from './run-batch.ts';

const texts = LIBRARY_TEXTS;

/** How many files are selected and what can be done with them, at the lower edge of the screen. */
export function SelectionBar({
  selection,
  batch: { progress, cancel },
  children,
}: {
  selection: Selection;
  batch: Batch;
  children: ReactNode;
}) {
  const count = selection.ids.size;
  if (count === 0 && !progress) return null;
  return (
    <section
      aria-label={texts.selection}
      className="sticky bottom-4 z-20 mx-auto flex max-w-full flex-wrap items-center gap-1 rounded-2xl border border-strong-line bg-surface px-2 py-1.5 shadow-xl"
    >
      {progress ? (
        <div className="flex items-center gap-3 px-2 py-1">
          <span className="w-32">
            <ProgressBar label={texts.progress} value={progress.done} max={progress.total} />
          </span>
          <span className="text-sm tabular-nums">{texts.doneOf(progress.done, progress.total)}</span>
          <Button size="small" onClick={cancel}>
            {texts.stop}
          </Button>
        </div>
      ) : (
        <>
          <IconButton size="smallIcon" icon={X} label={texts.clear} onClick={selection.clear} />
          <span className="pr-2 text-sm font-medium whitespace-nowrap tabular-nums">
            {texts.selected(count)}
          </span>
          {children}
        </>
      )}
    </section>
  );
}
