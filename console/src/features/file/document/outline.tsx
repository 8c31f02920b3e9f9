import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatNumber } from '../../../lib/format.ts';
import { Button } from '../../../ui/button.tsx';
import { Card, ErrorNote, Skeleton } from '../../../ui/page.tsx';
import { FILE_TEXTS } from '../texts.ts';
import { outlineQuery } from './page-queries.ts';

/** Larger outlines are read when they are asked for. */
const READ_AT_ONCE = 100;

/** The headings of a document, each leading to its place. */
export function Outline({
  fileId,
  total,
  onOpen,
}: {
  fileId: string;
  /** Number of pages. */
  total: number;
  onOpen: (page: number, elementId: string) => void;
}) {
  const [isWanted, setWanted] = useState(total <= READ_AT_ONCE);
  const { data, error, refetch } = useQuery({ ...outlineQuery(fileId), enabled: isWanted });
  const texts = FILE_TEXTS.pages;
  if (isWanted && data?.length === 0) return null;
  return (
    <Card title={texts.outline}>
      {!isWanted && (
        <Button size="small" onClick={() => setWanted(true)}>
          {texts.showOutline}
        </Button>
      )}
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {isWanted && !data && !error && <Skeleton />}
      {data && (
        <ol className="-mx-2 max-h-[45dvh] overflow-y-auto">
          {data.map(({ elementId, page, text, level }) => (
            <li key={elementId} className="[contain-intrinsic-size:auto_2rem] [content-visibility:auto]">
              <button
                type="button"
                onClick={() => onOpen(page, elementId)}
                className="flex min-h-8 w-full items-baseline justify-between gap-3 rounded-lg py-1 pr-2 text-left text-sm -outline-offset-2 hover:bg-sunken"
                style={{ paddingLeft: `${0.5 + (level - 1) * 0.75}rem` }}
              >
                <span className="wrap-anywhere">{text}</span>
                <span className="text-muted tabular-nums">{formatNumber(page)}</span>
              </button>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
