import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronUp } from 'lucide-react';
import { IconButton } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Card } from '../../../ui/page.tsx';
import { holds } from '../quote.ts';
import { FILE_TEXTS } from '../texts.ts';
import { ElementContent, ElementKind } from './element-content.tsx';
import { pageQuery } from './page-queries.ts';

/**
 * The element that is selected or linked to: its kind, and its content as text or as a table.
 *
 * @param page    whose elements the buttons step through
 * @param onOpen  gets the element before or after
 */
export function PageSide({
  fileId,
  page,
  elementId,
  quote,
  onOpen,
}: {
  fileId: string;
  page: number;
  elementId: string | undefined;
  quote: string | undefined;
  onOpen: (elementId: string) => void;
}) {
  const { data } = useQuery(pageQuery(fileId, page));
  const elements = data?.elements ?? [];
  const position = elements.findIndex(({ element_id: id, content }) =>
    elementId === undefined ? quote !== undefined && holds(quote, content) : id === elementId,
  );
  const [element, before, after] = [elements[position], elements[position - 1], elements[position + 1]];
  const texts = FILE_TEXTS.pages;
  return (
    <Card
      title={texts.element}
      actions={
        <div className="flex items-center">
          {element && <CopyButton text={element.content} />}
          <IconButton
            icon={ChevronUp}
            size="smallIcon"
            label={texts.elementBefore}
            disabled={!before}
            onClick={() => before && onOpen(before.element_id)}
          />
          <IconButton
            icon={ChevronDown}
            size="smallIcon"
            label={texts.elementAfter}
            disabled={!after}
            onClick={() => after && onOpen(after.element_id)}
          />
        </div>
      }
    >
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
