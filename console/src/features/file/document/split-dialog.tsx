import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Data, FileDetail } from 'darkroom-client';
import { useEffect, useState } from 'react';
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
  const proposing = useMutation({ mutationFn: () => begin({ dry_run: true }) });
  const dividing = useMutation({
    mutationFn: () => begin({ ranges: linesOf(ranges ?? '') }),
    onError: notifyError,
  });
  const { mutate: propose } = proposing;
  useEffect(() => propose(), [propose]);
  const proposal = useSplit(proposing.data);
  const division = useSplit(dividing.data);
  const parts = proposal.data?.status === 'completed' ? proposal.data.parts : undefined;
  const text = ranges ?? parts?.map(({ pages }) => pages).join('\n');
  const ended = division.data && division.data.status !== 'processing' ? division.data : undefined;
  useEffect(() => {
    if (!ended) return;
    void queries.invalidateQueries({ queryKey: ['files'] });
    if (ended.status !== 'completed') return;
    notify(texts.done(ended.stored_parts));
    onClose();
  }, [ended, onClose, queries]);
  const error = proposing.error ?? proposal.error ?? division.error;
  if (error) return <ErrorNote error={error} onRetry={() => propose()} />;
  if (proposal.data?.status === 'processing' || text === undefined)
    return proposal.data?.error_message ? (
      <p className="text-bad">{proposal.data.error_message}</p>
    ) : (
      <Skeleton lines={4} />
    );
  const count = linesOf(text).length;
  return (
    <>
      <p className="text-muted">{texts.found(parts?.length ?? 0)}</p>
      {parts && parts.length > 1 && <Reasons parts={parts} />}
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
          onClick={() => {
            setRanges(text);
            dividing.mutate();
          }}
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
