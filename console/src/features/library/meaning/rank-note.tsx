import type { SearchAnswer } from 'darkroom-client';
import { Info } from 'lucide-react';
import type { LibrarySearch } from '../search-params.ts';
import { LIBRARY_TEXTS } from '../texts.ts';

const texts = LIBRARY_TEXTS;

/** Says by what results are ranked, and which filters do not apply to them. */
export function RankNote({
  rankedBy,
  search: { status, tags, from, to, folder, project, compliance },
}: {
  rankedBy: SearchAnswer['ranked_by'];
  search: LibrarySearch;
}) {
  const isFiltered = [status, tags, from, to, folder, project, compliance].some(
    (value) => value !== undefined,
  );
  return (
    <p className="flex items-center gap-2 text-sm text-muted">
      <Info aria-hidden className="size-4 shrink-0" />
      <span>
        {rankedBy && texts.rankedBy[rankedBy]} {isFiltered && texts.meaningUnfiltered}
      </span>
    </p>
  );
}
