import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ArrowLeft, ChevronLeft, ChevronRight } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { fileLink } from '../../lib/file-link.ts';
import { IconButton } from '../../ui/button.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { lastResults, neighboursQuery } from '../library/last-results.ts';
import { FILE_TEXTS } from './texts.ts';

const texts = FILE_TEXTS.around;
/** Where the arrow keys have a meaning of their own. */
const OWN_ARROWS =
  'input, textarea, select, dialog, [role=tab], [role=menu], [role=region], [role=slider], video';

/** The way back to the results that a file was opened from, and on to the next; the arrow keys lead there too. */
export function AroundFile({ fileId }: { fileId: string }) {
  const navigate = useNavigate();
  const [results] = useState(lastResults);
  const { data } = useQuery(neighboursQuery(fileId, results));
  const open = (id: string | undefined) => {
    if (id !== undefined) void navigate({ ...fileLink({ fileId: id }), replace: true });
  };
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const { key, target, altKey, ctrlKey, metaKey, shiftKey, defaultPrevented } = event;
    if (altKey || ctrlKey || metaKey || shiftKey || defaultPrevented) return;
    if (target instanceof Element && target.closest(OWN_ARROWS)) return;
    if (key === 'ArrowLeft') open(data?.previous);
    if (key === 'ArrowRight') open(data?.next);
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, []);
  return (
    <nav aria-label={texts.nav} className="ml-auto flex items-center gap-1">
      <LinkButton to="/" search={results} size="small" variant="quiet" icon={ArrowLeft}>
        {texts.back}
      </LinkButton>
      <IconButton
        icon={ChevronLeft}
        size="smallIcon"
        label={texts.previous}
        disabled={data?.previous === undefined}
        onClick={() => open(data?.previous)}
      />
      <IconButton
        icon={ChevronRight}
        size="smallIcon"
        label={texts.next}
        disabled={data?.next === undefined}
        onClick={() => open(data?.next)}
      />
    </nav>
  );
}
