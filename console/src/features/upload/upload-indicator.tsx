import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { PauseCircle, Upload } from 'lucide-react';
import { useEffect } from 'react';
import { sessionQuery } from '../../lib/session.ts';
import { ProgressBar } from '../../ui/status.tsx';
import { UPLOAD_TEXTS } from './texts.ts';
import { useUploads } from './uploads.ts';

const texts = UPLOAD_TEXTS;

/** Shows that uploads go on, on every page, and leads to them. Nothing while there are none. */
export function UploadIndicator() {
  const { snapshot } = useUploads();
  const queries = useQueryClient();
  const { byState, bytes, sentBytes } = snapshot.totals;
  const { standstill } = snapshot;
  useEffect(() => {
    // Reading the session again leads to the sign-in.
    if (standstill === 'signed-out') void queries.invalidateQueries(sessionQuery);
  }, [standstill, queries]);
  const open = byState.pending + byState.uploading;
  if (open === 0) return null;
  const text = standstill === null ? texts.indicator(open) : texts.indicatorStopped(open);
  const Icon = standstill === null ? Upload : PauseCircle;
  return (
    <Link to="/add" className="flex flex-col gap-2 rounded-lg bg-sunken px-3 py-2 text-sm hover:text-accent">
      <span className="flex items-center gap-2">
        <Icon aria-hidden className="size-4 shrink-0" />
        {text}
      </span>
      <ProgressBar label={text} value={bytes > 0 ? sentBytes / bytes : undefined} />
    </Link>
  );
}
