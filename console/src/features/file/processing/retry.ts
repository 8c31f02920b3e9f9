import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Body } from 'darkroom-client';
import { client } from '../../../lib/client.ts';
import { notify, notifyError } from '../../../ui/notices.tsx';
import { FILE_TEXTS } from '../texts.ts';

type Retried = NonNullable<Body<'/files/{file_id}/retry'>>;

/** Runs what has failed in a file again, or the named components, or pages of a document. */
export function useRetry(fileId: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: Retried) =>
      client.api.POST('/files/{file_id}/retry', { params: { path: { file_id: fileId } }, body }),
    onSuccess: () => {
      notify(FILE_TEXTS.processing.retried);
      return queries.invalidateQueries({ queryKey: ['files', fileId] });
    },
    onError: notifyError,
  });
}
