import { Link } from '@tanstack/react-router';
import { CircleAlert, CircleCheck, Clock, LoaderCircle } from 'lucide-react';
import { messageOf } from '../../lib/client.ts';
import { useFilesByIds } from '../../ui/file-picker.tsx';
import { Card } from '../../ui/page.tsx';
import { useRuns, type Run } from './runs.ts';
import { EXTRACTION_TEXTS } from './texts.ts';

const texts = EXTRACTION_TEXTS;

/** The extractions of this visit with their results or errors; nothing before the first. */
export function RunList() {
  const runs = useRuns();
  const files = useFilesByIds([...new Set(runs.map(({ fileId }) => fileId))].toSorted());
  if (runs.length === 0) return null;
  return (
    <Card title={texts.runs}>
      <ul aria-live="polite" className="flex flex-col gap-3">
        {runs.map((run) => (
          <li key={run.key} className="flex items-start gap-2.5">
            <StateIcon state={run.state} />
            <div className="min-w-0">
              <p className="wrap-anywhere">
                {files.data?.find(({ id }) => id === run.fileId)?.title ?? run.fileId.slice(0, 8)}
              </p>
              <RunState run={run} />
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function RunState({ run: { state, extractionId, error } }: { run: Run }) {
  if (state === 'accepted' && extractionId) {
    return (
      <Link
        to="/extractions/$extractionId"
        params={{ extractionId }}
        className="inline-flex min-h-6 items-center text-sm text-accent underline"
      >
        {texts.openResult}
      </Link>
    );
  }
  if (state === 'failed') return <p className="text-sm text-bad wrap-anywhere">{messageOf(error)}</p>;
  return <p className="text-sm text-muted">{state === 'waiting' ? texts.waiting : texts.running}</p>;
}

const ICONS = {
  waiting: [Clock, 'text-muted'],
  running: [LoaderCircle, 'text-busy animate-spin'],
  accepted: [CircleCheck, 'text-good'],
  failed: [CircleAlert, 'text-bad'],
} as const;

function StateIcon({ state }: { state: Run['state'] }) {
  const [Icon, look] = ICONS[state];
  return <Icon aria-hidden className={`mt-1 size-4 shrink-0 ${look}`} />;
}
