import { Link } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import type { components, FileDetail } from 'darkroom-client';
import { IconButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/page.tsx';
import { useElementAt } from '../../file/document/page-queries.ts';
import type { SchemaNode } from '../schema/model.ts';
import { SourceView, type Mark } from '../source-view.tsx';
import { EXTRACTION_TEXTS } from '../texts.ts';
import { SourcesContext, Values } from './values.tsx';

const texts = EXTRACTION_TEXTS;

type Citation = components['schemas']['Citation'];

/** The values, and beside them the page that they were read from; each shows the other. */
export function ResultBesideSource({
  data,
  schema,
  citations,
  file,
}: {
  data: Readonly<Record<string, unknown>>;
  /** The schema that the values follow. */
  schema: SchemaNode;
  citations: Readonly<Record<string, Citation>>;
  /** Undefined while it is loading, and for an extraction from an image that is not in the library. */
  file: FileDetail | undefined;
}) {
  const [active, setActive] = useState<string | null>(null);
  const cited = Object.entries(citations);
  const [page, setPage] = useState(() => Math.min(...cited.map(([, each]) => each.page), Infinity));
  const shownPage = Number.isFinite(page) ? page : 1;
  const show = (pointer: string) => {
    setActive(pointer);
    const at = citations[pointer]?.page;
    if (at !== undefined) setPage(at);
  };
  const marks = cited.flatMap(([id, { page: at, bounding_box: box, text }]): Mark[] =>
    box ? [{ id, page: at, box, label: text }] : [],
  );
  const source = active === null ? undefined : citations[active];
  const pages = file?.media_type === 'document' ? (file.page_count ?? 1) : 1;
  return (
    <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-2">
      <div
        role="group"
        aria-label={texts.pictureOf}
        tabIndex={0}
        className="sticky top-14 z-10 flex max-h-[45dvh] flex-col gap-2 overflow-y-auto bg-bg pb-2 lg:top-5 lg:max-h-[calc(100dvh-2.5rem)]"
      >
        <div aria-live="polite">
          {source ? (
            <Source citation={source} file={file} />
          ) : (
            cited.length > 0 && <p className="text-sm text-muted">{texts.chooseValue}</p>
          )}
        </div>
        {pages > 1 && (
          <div className="flex items-center justify-between">
            <IconButton
              icon={ChevronLeft}
              size="smallIcon"
              label={texts.previousPage}
              disabled={shownPage <= 1}
              onClick={() => setPage(shownPage - 1)}
            />
            <p className="text-sm text-muted">{texts.pageOf(shownPage, pages)}</p>
            <IconButton
              icon={ChevronRight}
              size="smallIcon"
              label={texts.nextPage}
              disabled={shownPage >= pages}
              onClick={() => setPage(shownPage + 1)}
            />
          </div>
        )}
        {file ? (
          <SourceView file={file} page={shownPage} marks={marks} active={active} onSelect={show} />
        ) : (
          <p className="text-muted">{texts.noPicture}</p>
        )}
      </div>
      <Card title={texts.values}>
        <SourcesContext value={{ citations, active, onShow: show }}>
          <Values data={data} schema={schema} />
        </SourcesContext>
      </Card>
    </div>
  );
}

/** The text that a value was found in, and the way to it. */
function Source({
  citation: { text, page, confidence, bounding_box: box },
  file,
}: {
  citation: Citation;
  file: FileDetail | undefined;
}) {
  const element = useElementAt(file?.media_type === 'document' ? file.id : null, page, box);
  return (
    <div className="rounded-lg border border-line bg-surface px-3 py-2 text-sm">
      <p className="wrap-anywhere">{texts.quote(text)}</p>
      {confidence < 1 && <p className="text-warn">{texts.weak}</p>}
      {file && (
        <Link
          to="/files/$fileId"
          params={{ fileId: file.id }}
          search={{ page, element }}
          className="inline-flex min-h-6 items-center text-accent underline"
        >
          {file.media_type === 'document' ? texts.openAt(page) : texts.openFile}
        </Link>
      )}
    </div>
  );
}
