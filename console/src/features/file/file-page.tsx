import { useQuery } from '@tanstack/react-query';
import { notFound, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ApiError, type FileDetail } from 'darkroom-client';
import { ErrorNote, Page, Skeleton } from '../../ui/page.tsx';
import { StatusBadge, statusOf } from '../../ui/status.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { AroundFile } from './around-file.tsx';
import { FileActions } from './file-actions.tsx';
import { FilePlace } from './about/file-place.tsx';
import { PROCESSING, tabsOf } from './media.tsx';
import { StatusNote } from './processing/status-note.tsx';
import { useLiveStatus } from './processing/use-live-status.ts';
import { fileQuery, trashedFileQuery } from './queries.ts';
import { RelatedFiles } from './related-files.tsx';
import { FILE_TEXTS } from './texts.ts';
import { TrashedFile } from './trashed-file.tsx';

/** Everything about one file: what it shows, what was found in it, and how it was processed. */
export function FilePage() {
  const { fileId } = useParams({ from: '/signed-in/files/$fileId' });
  const { data, error, isFetching, refetch } = useQuery(fileQuery(fileId));
  const isAbsent = error instanceof ApiError && error.status === 404;
  const trashed = useQuery({ ...trashedFileQuery(fileId), enabled: isAbsent });
  if (isAbsent && trashed.data) return <TrashedFile file={trashed.data} />;
  // One that was just restored has left the trash, and is being read again.
  if (isAbsent && trashed.data === null && !isFetching) throw notFound();
  if (error && !isAbsent) {
    return (
      <Page title={FILE_TEXTS.title}>
        <ErrorNote error={error} onRetry={() => void refetch()} />
      </Page>
    );
  }
  if (!data || isAbsent) {
    return (
      <Page title={FILE_TEXTS.title}>
        <Skeleton lines={6} />
      </Page>
    );
  }
  // Another file starts with a page of its own: its zoom, its selection.
  return <OpenFile key={data.id} file={data} />;
}

function OpenFile({ file }: { file: FileDetail }) {
  const navigate = useNavigate({ from: '/files/$fileId' });
  const search = useSearch({ from: '/signed-in/files/$fileId' });
  useLiveStatus(file);
  const tabs = tabsOf(file);
  const shown = tabs.find(({ id }) => id === search.tab) ?? tabs[0];
  const open = (tab: string) => void navigate({ to: '.', search: { ...search, tab }, replace: true });
  return (
    <Page title={file.title} full actions={<FileActions file={file} />}>
      <div className="-mt-3 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
        <StatusBadge status={statusOf(file)} />
        <FilePlace file={file} />
        <AroundFile fileId={file.id} />
      </div>
      <RelatedFiles file={file} />
      {shown?.id !== PROCESSING && <StatusNote file={file} onOpen={() => open(PROCESSING)} />}
      <Tabs
        label={FILE_TEXTS.views}
        value={shown?.id ?? ''}
        onChange={open}
        tabs={tabs.map(({ id, name, View }) => ({
          id,
          name,
          content: <View file={file} />,
        }))}
      />
    </Page>
  );
}
