import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Data } from 'darkroom-client';
import { ArrowLeft, RotateCcw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../lib/client.ts';
import { formatBytes, formatDateTime } from '../../lib/format.ts';
import { useMay } from '../../lib/session.ts';
import { LIBRARY_TEXTS } from '../library/texts.ts';
import { Button } from '../../ui/button.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { notify, notifyError } from '../../ui/notices.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { StatusBadge, statusOf } from '../../ui/status.tsx';
import { Facts } from './about/facts-list.tsx';
import { RetentionCard } from './about/retention-card.tsx';
import { FILE_TEXTS } from './texts.ts';

const texts = FILE_TEXTS.trash;

/** A file in the trash: what it is, to restore it or to delete it for good. */
export function TrashedFile({ file }: { file: Data<'/files', 'get'>['items'][number] }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const mayRestore = useMay('editor');
  const mayErase = useMay('admin');
  const [isAsking, setAsking] = useState(false);
  const params = { path: { file_id: file.id } };
  const restore = useMutation({
    mutationFn: () => client.api.POST('/files/{file_id}/restore', { params }),
    onSuccess: () => {
      notify(texts.restored);
      return queries.invalidateQueries({ queryKey: ['files'] });
    },
    onError: notifyError,
  });
  const erase = useMutation({
    mutationFn: () =>
      client.api.DELETE('/files/{file_id}', { params: { ...params, query: { permanent: true } } }),
    onSuccess: async () => {
      notify(texts.erased);
      await navigate({ to: '/trash', replace: true });
      return queries.invalidateQueries({ queryKey: ['files'] });
    },
    onError: notifyError,
  });
  const { facts } = FILE_TEXTS;
  const text = file.user_description ?? file.upload_description;
  const picture = file.full_url ?? file.medium_url ?? file.thumbnail_url;
  return (
    <Page
      title={file.title}
      actions={
        <>
          {mayRestore && (
            <Button
              variant="primary"
              icon={RotateCcw}
              busy={restore.isPending}
              onClick={() => restore.mutate()}
            >
              {texts.restore}
            </Button>
          )}
          {mayErase && (
            <Button variant="danger" icon={Trash2} onClick={() => setAsking(true)}>
              {texts.erase}
            </Button>
          )}
        </>
      }
    >
      <div className="-mt-3 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
        <StatusBadge status={statusOf(file)} />
        <span>
          {texts.title} {texts.hint}
        </span>
        <LinkButton to="/trash" size="small" variant="quiet" icon={ArrowLeft} className="ml-auto">
          {LIBRARY_TEXTS.trash}
        </LinkButton>
      </div>
      {picture !== null && (
        <img
          src={picture}
          alt={text ?? file.title}
          className="max-h-[60dvh] max-w-full self-start rounded-2xl border border-line object-contain"
        />
      )}
      {text !== null && <p className="max-w-prose">{text}</p>}
      <Card title={facts.title}>
        <Facts
          facts={[
            [facts.filename, file.filename],
            [facts.type, file.content_type],
            [facts.size, formatBytes(file.size_bytes)],
            [LIBRARY_TEXTS.sorts.created_at, formatDateTime(file.created_at)],
            ...(file.tags.length > 0 ? [[LIBRARY_TEXTS.tag, file.tags.join(', ')] as const] : []),
          ]}
        />
      </Card>
      <RetentionCard fileId={file.id} />
      {file.visible_text && (
        <Card title={FILE_TEXTS.tabs.text}>
          <p className="max-h-80 overflow-y-auto whitespace-pre-wrap wrap-anywhere">{file.visible_text}</p>
        </Card>
      )}
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => erase.mutate()}
        busy={erase.isPending}
        title={texts.eraseTitle}
        action={texts.erase}
      >
        {texts.eraseHint(file.title)}
      </ConfirmDialog>
    </Page>
  );
}
