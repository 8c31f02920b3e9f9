import { lazyRouteComponent } from '@tanstack/react-router';
import { Suspense, type ReactNode } from 'react';
import { Skeleton } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import type { LibrarySearch } from './search-params.ts';
import { LIBRARY_TEXTS } from './texts.ts';

const texts = LIBRARY_TEXTS.results;
const Passages = lazyRouteComponent(() => import('./meaning/passages.tsx'), 'Passages');
const Pictures = lazyRouteComponent(() => import('./meaning/pictures.tsx'), 'Pictures');

/** What a search has found: files by their words, passages and pictures by what they mean. */
export function SearchResults({
  q,
  search,
  files,
  onShow,
}: {
  q: string;
  search: LibrarySearch;
  files: ReactNode;
  onShow: (show: NonNullable<LibrarySearch['show']>) => void;
}) {
  return (
    <Tabs
      label={texts.label}
      value={search.show ?? 'files'}
      onChange={onShow}
      tabs={[
        { id: 'files', name: texts.files, content: files },
        { id: 'passages', name: texts.passages, content: later(<Passages q={q} search={search} />) },
        { id: 'pictures', name: texts.pictures, content: later(<Pictures q={q} search={search} />) },
      ]}
    />
  );
}

const later = (content: ReactNode) => <Suspense fallback={<Skeleton lines={8} />}>{content}</Suspense>;
