import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Body, Data } from 'darkroom-client';
import { useState, type FormEvent } from 'react';
import { client } from '../../lib/client.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { CheckboxInput, TextInput } from '../../ui/field.tsx';
import { notify } from '../../ui/notices.tsx';
import { ErrorNote } from '../../ui/page.tsx';
import { FolderChoice } from '../shared/folder-choice.tsx';
import { WORK_TEXTS } from './texts.ts';

const texts = WORK_TEXTS.reprocessing;
const MEDIA = ['image', 'document', 'video', 'link'] as const;
/** An extraction also needs a schema, which is chosen where files are extracted. */
const PARTS = ['description', 'text', 'pages', 'variants', 'vectors'] as const;

type Request = Body<'/reprocessing'>;
type Answer = Data<'/reprocessing', 'post'>;

/** Starts a reprocessing, after its estimate of files and credits. */
export function ReprocessingDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const queries = useQueryClient();
  const [media, setMedia] = useState<ReadonlySet<(typeof MEDIA)[number]>>(new Set(['image']));
  const [parts, setParts] = useState<ReadonlySet<(typeof PARTS)[number]>>(new Set(['description']));
  const [isFailed, setFailed] = useState(false);
  const [folder, setFolder] = useState('');
  const [reason, setReason] = useState('');
  const body: Request = {
    filter: {
      media_types: [...media],
      ...(isFailed && { status: ['failed', 'partially_completed'] }),
      ...(folder && { folder_id: folder, include_subfolders: true }),
    },
    components: [...parts],
    reason,
  };
  const request = useMutation({
    mutationFn: async (isTrial: boolean): Promise<Answer> =>
      (await client.api.POST('/reprocessing', { body: { ...body, dry_run: isTrial } })).data,
    onSuccess: async (answer) => {
      if ('media' in answer) return;
      await queries.invalidateQueries({ queryKey: ['reprocessing'] });
      notify(texts.started);
      close();
    },
  });
  const close = () => {
    request.reset();
    onClose();
  };
  const estimate = request.data && 'media' in request.data ? request.data : undefined;
  const isReady = media.size > 0 && parts.size > 0 && reason.trim() !== '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    request.mutate(estimate === undefined);
  };
  // An estimate holds for what was estimated.
  const changed =
    <T,>(change: (value: T) => void) =>
    (value: T) => {
      request.reset();
      change(value);
    };
  return (
    <Dialog open={open} onClose={close} title={texts.start}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {request.error && <ErrorNote error={request.error} />}
        <Choices
          legend={texts.media}
          names={TEXTS.media}
          options={MEDIA}
          chosen={media}
          onChange={changed(setMedia)}
        />
        <CheckboxInput
          label={texts.onlyFailed}
          checked={isFailed}
          onChange={({ target }) => changed(setFailed)(target.checked)}
        />
        <FolderChoice
          label={texts.folder}
          none={texts.allFolders}
          value={folder}
          onChoose={(one) => changed(setFolder)(one?.id ?? '')}
        />
        <Choices
          legend={texts.what}
          names={texts.parts}
          options={PARTS}
          chosen={parts}
          onChange={changed(setParts)}
        />
        <TextInput
          label={texts.reason}
          required
          hint={texts.reasonHint}
          value={reason}
          onChange={({ target }) => changed(setReason)(target.value)}
        />
        <p role="status" className="min-h-6">
          {estimate && texts.estimate(estimate.total_files, estimate.estimated_credits)}
        </p>
        <DialogActions>
          <Button onClick={close}>{TEXTS.common.cancel}</Button>
          <Button
            type="submit"
            variant="primary"
            busy={request.isPending}
            disabled={!isReady || estimate?.total_files === 0}
          >
            {estimate ? texts.submit : texts.doEstimate}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function Choices<T extends string>({
  legend,
  names,
  options,
  chosen,
  onChange,
}: {
  legend: string;
  names: Readonly<Record<T, string>>;
  options: readonly T[];
  chosen: ReadonlySet<T>;
  onChange: (chosen: ReadonlySet<T>) => void;
}) {
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 text-sm font-medium">{legend}</legend>
      <div className="flex flex-wrap gap-x-6 gap-y-1">
        {options.map((option) => (
          <CheckboxInput
            key={option}
            label={names[option]}
            checked={chosen.has(option)}
            onChange={({ target }) =>
              onChange(
                new Set(options.filter((each) => (each === option ? target.checked : chosen.has(each)))),
              )
            }
          />
        ))}
      </div>
    </fieldset>
  );
}
