import type { FileDetail } from 'darkroom-client';
import type { ReactNode } from 'react';
import { ExtractionsTab } from './extraction-list.tsx';
import { AboutTab } from './about/about-tab.tsx';
import { SimilarTab } from './about/similar-tab.tsx';
import { ChunksTab } from './document/chunks-tab.tsx';
import { PagesTab } from './document/pages-tab.tsx';
import { TextTab } from './document/text-tab.tsx';
import { ImageTab } from './image/image-tab.tsx';
import { LinkTab } from './link/link-tab.tsx';
import { ProcessingTab } from './processing/processing-tab.tsx';
import type { DetailOf } from './queries.ts';
import { FILE_TEXTS } from './texts.ts';
import { VideoTab } from './video/video-tab.tsx';

type Medium = FileDetail['media_type'];

interface FileTab<F> {
  /** In the address. */
  id: string;
  name: string;
  View: (props: { file: F }) => ReactNode;
}

const { tabs: NAMES } = FILE_TEXTS;
const ABOUT: FileTab<FileDetail> = { id: 'about', name: NAMES.about, View: AboutTab };
const EXTRACTIONS: FileTab<FileDetail> = {
  id: 'extractions',
  name: NAMES.extractions,
  View: ExtractionsTab,
};
const SIMILAR: FileTab<FileDetail> = { id: 'similar', name: NAMES.similar, View: SimilarTab };
const CHUNKS: FileTab<FileDetail> = { id: 'chunks', name: NAMES.chunks, View: ChunksTab };
/** The tab that says why a file is not done. */
export const PROCESSING = 'processing';
const WHY: FileTab<FileDetail> = { id: PROCESSING, name: NAMES.processing, View: ProcessingTab };

/** What the page of a file shows, by medium; the first tab is the file itself. */
const TABS: { [M in Medium]: readonly FileTab<DetailOf<M>>[] } = {
  image: [{ id: 'picture', name: NAMES.picture, View: ImageTab }, ABOUT, EXTRACTIONS, SIMILAR, WHY],
  document: [
    { id: 'pages', name: NAMES.pages, View: PagesTab },
    { id: 'text', name: NAMES.text, View: TextTab },
    CHUNKS,
    ABOUT,
    EXTRACTIONS,
    WHY,
  ],
  video: [{ id: 'video', name: NAMES.video, View: VideoTab }, ABOUT, SIMILAR, WHY],
  link: [{ id: 'page', name: NAMES.page, View: LinkTab }, CHUNKS, ABOUT, WHY],
};

/** The tabs of a file. */
export function tabsOf(file: FileDetail): readonly FileTab<FileDetail>[] {
  // Each view takes the files of its own medium, under whose name it stands.
  return TABS[file.media_type] as readonly FileTab<FileDetail>[];
}
