import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError, type Data, type FileDetail } from 'darkroom-client';
import { useEffect, useEffectEvent, useState } from 'react';
import { client } from '../../../lib/client.ts';
import { TEXTS } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { TextArea } from '../../../ui/field.tsx';
import { notify, notifyError } from '../../../ui/notices.tsx';
import { ErrorNote, Skeleton } from '../../../ui/page.tsx';
import { FILE_TEXTS } from '../texts.ts';

type Split = Data<'/splits/{split_id}', 'get'>;

const texts = FILE_TEXTS.split;
const LOOK_AGAIN_MS = 1000;

/** Divides a PDF of several documents into files: shows what the rules propose, to be changed and confirmed. */
export function SplitDialog({
  file,
  open,
  onClose,
}: {
  file: FileDetail;
  open: boolean;
  onClose: () => void;
}) {
  return (
    <Dialog open={open} onClose={onClose} title={texts.title}>
      <Proposal fileId={file.id} onClose={onClose} />
    </Dialog>
  );
}

function Proposal({ fileId, onClose }: { fileId: string; onClose: () => void }) {
  const queries = useQueryClient();
  const [ranges, setRanges] = useState<string>();
  const params = { path: { file_id: fileId } };
  const begin = async (body: { ranges?: string[]; dry_run?: boolean }) =>
    (await client.api.POST('/files/{file_id}/splits', { params, body })).data.split_id;
  const proposing = useMutation({
    mutationFn: () => begin({ dry_run: true }).catch((refusal: unknown) => openSplitOf(fileId, refusal)),
  });
  const dividing = useMutation({
    mutationFn: (text: string) => begin({ ranges: linesOf(text) }),
    onError: notifyError,
  });
  const { mutate: propose } = proposing;
  useEffect(() => propose(), [propose]);
  const proposal = useSplit(proposing.data);
  const division = useSplit(dividing.data);
  const proposed = proposal.data && proposal.data.status !== 'processing' ? proposal.data : undefined;
  const ended = division.data && division.data.status !== 'processing' ? division.data : undefined;
  const onEnd = useEffectEvent(() => {
    void queries.invalidateQueries({ queryKey: ['files'] });
    if (ended?.status !== 'completed') return;
    notify(texts.done(ended.stored_parts));
    onClose();
  });
  const endedId = ended?.split_id;
  useEffect(() => {
    if (endedId) onEnd();
  }, [endedId]);
  if (proposing.error) return <ErrorNote error={proposing.error} onRetry={() => propose()} />;
  for (const { error, refetch } of [proposal, division])
    if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  const parts = proposed?.parts ?? [];
  const text = ranges ?? parts.map(({ pages }) => pages).join('\n');
  if (!proposed) return <Skeleton lines={4} />;
  const count = linesOf(text).length;
  return (
    <>
      {proposed.status === 'completed' && <p className="text-muted">{texts.found(parts.length)}</p>}
      {proposed.error_message && (
        <p role="alert" className="text-bad">
          {proposed.error_message}
        </p>
      )}
      {parts.length > 1 && <Reasons parts={parts} />}
      {proposed.left_out.length > 0 && (
        <p className="text-sm text-muted">
          {texts.leftOut(proposed.left_out.map(({ page }) => page).join(', '))}
        </p>
      )}
      <TextArea
        label={texts.ranges}
        hint={texts.rangesHint}
        error={ended?.error_message ?? undefined}
        rows={Math.min(10, count + 2)}
        className="font-mono"
        value={text}
        onChange={({ target }) => setRanges(target.value)}
      />
      <DialogActions>
        <Button onClick={onClose}>{TEXTS.common.cancel}</Button>
        <Button
          variant="primary"
          disabled={count === 0}
          busy={dividing.isPending || division.data?.status === 'processing'}
          onClick={() => dividing.mutate(text)}
        >
          {texts.divide(count)}
        </Button>
      </DialogActions>
    </>
  );
}

/** Why the rules see a document begin, of each part but the first. */
function Reasons({ parts }: { parts: NonNullable<Split['parts']> }) {
  return (
    <ul aria-label={texts.proposed} className="flex max-h-48 flex-col gap-1 overflow-y-auto text-sm">
      {parts.map(({ pages, reasons, confidence }) => (
        <li key={pages}>
          {texts.pages(pages)}
          {confidence !== null && (
            <span className="text-muted">
              {` · ${[...reasons.map((reason) => texts.reasons[reason]), texts.sure(Math.round(confidence * 100))].join(' · ')}`}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The split that is open, as of a dialog that was closed. @throws the refusal to begin another one, without it */
async function openSplitOf(fileId: string, refusal: unknown): Promise<string> {
  if (!(refusal instanceof ApiError && refusal.code === 'WORK_IN_PROGRESS')) throw refusal;
  const params = { path: { file_id: fileId }, query: { limit: 1 } };
  const [last] = (await client.api.GET('/files/{file_id}/splits', { params })).data.items;
  if (last?.status !== 'processing') throw refusal;
  return last.split_id;
}

/** A split, read again until it has ended. */
function useSplit(id: string | undefined) {
  return useQuery({
    queryKey: ['splits', id],
    enabled: id !== undefined,
    queryFn: async ({ signal }) =>
      (await client.api.GET('/splits/{split_id}', { params: { path: { split_id: id ?? '' } }, signal })).data,
    refetchInterval: ({ state }) => (state.data?.status === 'processing' ? LOOK_AGAIN_MS : false),
  });
}

/** Ranges are separated by line breaks, commas or spaces. */
const linesOf = (text: string): string[] => text.split(/[\s,;]+/).filter((range) => range !== '');
