import { useQuery } from '@tanstack/react-query';
import { TEXTS } from '../../../texts.ts';
import { Empty, ErrorNote, Skeleton } from '../../../ui/page.tsx';
import { FileText } from 'lucide-react';
import type { DetailOf } from '../queries.ts';
import { PageReader } from './page-reader.tsx';
import { pageStatusesQuery } from './page-queries.ts';

/** The pages of a document. */
export function PagesTab({ file }: { file: DetailOf<'document'> }) {
  const { data, error, refetch } = useQuery(pageStatusesQuery(file.id));
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={8} />;
  if (data.total_pages === 0) {
    return (
      <Empty icon={FileText} title={TEXTS.file.pages.none}>
        {file.explanation}
      </Empty>
    );
  }
  return <PageReader file={file} statuses={data} />;
}
