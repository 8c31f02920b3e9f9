import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FileDetail } from 'darkroom-client';
import { Images } from 'lucide-react';
import { fileLink } from '../../../lib/file-link.ts';
import { formatPercent } from '../../../lib/format.ts';
import { Empty, ErrorNote, Skeleton } from '../../../ui/page.tsx';
import { Picture } from '../../../ui/picture.tsx';
import { similarQuery } from '../queries.ts';
import { FILE_TEXTS } from '../texts.ts';

/** Files that look like this one, most similar first. */
export function SimilarTab({ file }: { file: FileDetail }) {
  const { data, error, refetch } = useQuery(similarQuery(file.id));
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton />;
  if (data.length === 0) return <Empty icon={Images} title={FILE_TEXTS.similar.none} />;
  return (
    <ul className="grid grid-cols-[repeat(auto-fill,minmax(9rem,1fr))] gap-4 md:grid-cols-[repeat(auto-fill,minmax(12rem,1fr))]">
      {data.map(({ image_id: id, title, thumbnail_url: src, relevance_score: score }) => (
        <li key={id}>
          <Link {...fileLink({ fileId: id })} className="group block rounded-xl">
            <span className="block aspect-4/3 overflow-hidden rounded-xl border border-line bg-sunken">
              <Picture src={src} alt="" blurHash={null} />
            </span>
            <span className="mt-1.5 block truncate font-medium group-hover:underline">{title}</span>
            <span className="text-sm text-muted">{FILE_TEXTS.similar.score(formatPercent(score))}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
