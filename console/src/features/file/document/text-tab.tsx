import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { FileText } from 'lucide-react';
import { useMemo, useRef } from 'react';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Empty } from '../../../ui/page.tsx';
import type { DetailOf } from '../queries.ts';
import { FILE_TEXTS } from '../texts.ts';
import { TextBlock } from './element-content.tsx';

const USUAL_HEIGHT = 60;
const GAP = 14;

/** The whole text of a document, of which only the paragraphs in sight exist. */
export function TextTab({ file }: { file: DetailOf<'document'> }) {
  const text = file.extracted_text ?? '';
  const blocks = useMemo(() => text.split(/\n{2,}/).filter((block) => block.trim() !== ''), [text]);
  const list = useRef<HTMLDivElement>(null);
  const rows = useWindowVirtualizer({
    count: blocks.length,
    estimateSize: () => USUAL_HEIGHT,
    gap: GAP,
    overscan: 10,
    scrollMargin: list.current?.offsetTop ?? 0,
  });
  if (blocks.length === 0) return <Empty icon={FileText} title={FILE_TEXTS.text.none} />;
  return (
    <div className="max-w-prose">
      <div className="mb-4">
        <CopyButton text={text} label={FILE_TEXTS.text.copy} />
      </div>
      <div ref={list} className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, key, start }) => (
          <div
            key={key}
            ref={rows.measureElement}
            data-index={index}
            className="absolute inset-x-0 top-0"
            style={{ transform: `translateY(${start - rows.options.scrollMargin}px)` }}
          >
            <TextBlock text={blocks[index] ?? ''} />
          </div>
        ))}
      </div>
    </div>
  );
}
