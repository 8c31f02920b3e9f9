import { useMutation, useQueryClient } from '@tanstack/react-query';
import { RotateCcw, Trash2 } from 'lucide-react';
import { client } from '../../lib/client.ts';
import { useMay } from '../../lib/session.ts';
import { TEXTS } from '../../texts.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { notify, notifyError } from '../../ui/notices.tsx';
import { Empty, Page } from '../../ui/page.tsx';

/** A file in the trash, from where it can be restored. */
export function TrashedFile({ file }: { file: { id: string; title: string } }) {
  const queries = useQueryClient();
  const mayRestore = useMay('editor');
  const restore = useMutation({
    mutationFn: () => client.api.POST('/files/{file_id}/restore', { params: { path: { file_id: file.id } } }),
    onSuccess: () => {
      notify(TEXTS.file.trash.restored);
      return queries.invalidateQueries({ queryKey: ['files'] });
    },
    onError: notifyError,
  });
  return (
    <Page title={file.title}>
      <Empty icon={Trash2} title={TEXTS.file.trash.title}>
        <p>{TEXTS.file.trash.hint}</p>
        <div className="mt-4 flex flex-wrap justify-center gap-2">
          {mayRestore && (
            <Button
              variant="primary"
              icon={RotateCcw}
              busy={restore.isPending}
              onClick={() => restore.mutate()}
            >
              {TEXTS.file.trash.restore}
            </Button>
          )}
          <LinkButton to="/">{TEXTS.app.toLibrary}</LinkButton>
        </div>
      </Empty>
    </Page>
  );
}
