import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../lib/client.ts';
import { SelectInput } from '../../ui/field.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { notify } from '../../ui/notices.tsx';
import { ErrorNote } from '../../ui/page.tsx';
import { DescriptionsForm, type DescriptionsRequest } from './descriptions-form.tsx';
import { FilesForm, type FilesRequest } from './files-form.tsx';
import { WORK_TEXTS } from './texts.ts';

const texts = WORK_TEXTS.exports;
const KINDS = ['files', 'descriptions'] as const;
type Kind = (typeof KINDS)[number];

/** Starts an export of files or of descriptions. Short exports are ready when it closes. */
export function ExportDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const queries = useQueryClient();
  const [kind, setKind] = useState<Kind>('files');
  const begun = async (isReady: boolean) => {
    await queries.invalidateQueries({ queryKey: ['exports'] });
    notify(isReady ? texts.ready : texts.started);
    onClose();
  };
  const files = useMutation({
    mutationFn: async (body: FilesRequest) => (await client.api.POST('/files/export', { body })).data,
    onSuccess: (answer) => begun(!('status' in answer)),
  });
  const descriptions = useMutation({
    mutationFn: async (body: DescriptionsRequest) => (await client.api.POST('/data/export', { body })).data,
    onSuccess: () => begun(false),
  });
  const close = () => {
    files.reset();
    descriptions.reset();
    onClose();
  };
  const { error } = kind === 'files' ? files : descriptions;
  return (
    <Dialog open={open} onClose={close} title={texts.start} wide>
      <SelectInput
        label={texts.kind}
        value={kind}
        options={KINDS.map((name) => [name, texts.kinds[name]] as const)}
        onChange={({ target }) => setKind(target.value as Kind)}
      />
      {error && <ErrorNote error={error} />}
      {kind === 'files' ? (
        <FilesForm busy={files.isPending} onCancel={close} onSubmit={(body) => files.mutate(body)} />
      ) : (
        <DescriptionsForm
          busy={descriptions.isPending}
          onCancel={close}
          onSubmit={(body) => descriptions.mutate(body)}
        />
      )}
    </Dialog>
  );
}
