import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { Download, FileQuestion } from 'lucide-react';
import { ApiError } from 'darkroom-client';
import { client } from '../../lib/client.ts';
import { formatBytes, formatDate } from '../../lib/format.ts';
import { TEXTS } from '../../texts.ts';
import { Empty, ErrorNote, Page, Skeleton } from '../../ui/page.tsx';

const texts = TEXTS.shared;
/** The URL of the original is valid for five minutes. */
const FRESH_MS = 4 * 60_000;

/** One file for people without an account, by the token in the fragment of the link. */
export function SharedPage() {
  const token = useLocation({ select: ({ hash }) => hash });
  const { data, error, refetch } = useQuery({
    queryKey: ['shared', token],
    enabled: token !== '',
    staleTime: FRESH_MS,
    refetchInterval: FRESH_MS,
    retry: false,
    queryFn: async ({ signal }) => (await client.api.POST('/shared-file', { body: { token }, signal })).data,
  });
  const isGone = error instanceof ApiError && error.status === 404;
  return (
    <main>
      <Page title={data?.title ?? texts.title}>
        {(token === '' || isGone) && (
          <Empty icon={FileQuestion} title={token === '' ? texts.incomplete : texts.gone} />
        )}
        {error && !isGone && <ErrorNote error={error} onRetry={() => void refetch()} />}
        {token !== '' && !data && !error && <Skeleton lines={6} />}
        {data && (
          <>
            <p className="-mt-3 text-muted">
              {[data.filename, TEXTS.media[data.media_type], formatBytes(data.size_bytes)].join(' · ')}
            </p>
            {data.picture_url !== null && (
              <img
                src={data.picture_url}
                alt={data.description ?? data.title}
                className="max-h-[70dvh] max-w-full self-start rounded-2xl border border-line object-contain"
              />
            )}
            {data.description !== null && <p className="max-w-prose">{data.description}</p>}
            <a
              href={data.download_url}
              className="inline-flex h-10 items-center gap-2 self-start rounded-lg bg-accent px-4 font-medium text-on-accent"
            >
              <Download aria-hidden className="size-4" />
              {texts.download}
            </a>
            <p className="text-sm text-muted">{texts.until(formatDate(data.expires_at))}</p>
          </>
        )}
      </Page>
    </main>
  );
}
