import { useQuery } from '@tanstack/react-query';
import { TEXTS } from '../../../texts.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Card } from '../../../ui/page.tsx';
import { holds } from '../quote.ts';
import { ElementContent, ElementKind } from './element-content.tsx';
import { pageQuery } from './page-queries.ts';

/** The element that is selected or linked to: its kind, and its content as text or as a table. */
export function PageSide({
  fileId,
  page,
  elementId,
  quote,
}: {
  fileId: string;
  page: number;
  elementId: string | undefined;
  quote: string | undefined;
}) {
  const { data } = useQuery(pageQuery(fileId, page));
  const element = data?.elements.find(({ element_id: id, content }) =>
    elementId === undefined ? quote !== undefined && holds(quote, content) : id === elementId,
  );
  const texts = TEXTS.file.pages;
  return (
    <Card title={texts.element} actions={element && <CopyButton text={element.content} />}>
      <div aria-live="polite" className="flex max-h-[40dvh] flex-col gap-3 overflow-y-auto">
        {element ? (
          <>
            <ElementKind element={element} />
            <ElementContent element={element} />
          </>
        ) : (
          <p className="text-muted">{texts.choose}</p>
        )}
      </div>
    </Card>
  );
}
