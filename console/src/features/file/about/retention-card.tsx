import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Data } from 'darkroom-client';
import { useState } from 'react';
import { z } from 'zod';
import { client } from '../../../lib/client.ts';
import { formatDate } from '../../../lib/format.ts';
import { showInForm, useSchemaForm } from '../../../lib/forms.ts';
import { useMay } from '../../../lib/session.ts';
import { TEXTS } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { TextInput } from '../../../ui/field.tsx';
import { notify, notifyError } from '../../../ui/notices.tsx';
import { Card, Skeleton } from '../../../ui/page.tsx';
import { FILE_TEXTS } from '../texts.ts';

const texts = FILE_TEXTS.retention;
type Retention = Data<'/files/{file_id}/retention', 'get'>;

/** What will become of a file, live or in the trash; admins hold and release it. */
export function RetentionCard({ fileId }: { fileId: string }) {
  const mayHold = useMay('admin');
  const [isAsking, setAsking] = useState(false);
  const queries = useQueryClient();
  const queryKey = ['files', fileId, 'retention'];
  const params = { path: { file_id: fileId } };
  const retention = useQuery({
    queryKey,
    queryFn: async ({ signal }) =>
      (await client.api.GET('/files/{file_id}/retention', { params, signal })).data,
  });
  const release = useMutation({
    mutationFn: () => client.api.DELETE('/files/{file_id}/hold', { params }),
    onSuccess: () => {
      notify(texts.released);
      return queries.invalidateQueries({ queryKey });
    },
    onError: notifyError,
  });
  if (retention.error) return null;
  const isHeld = retention.data?.hold?.file_id === fileId;
  return (
    <Card
      title={texts.title}
      actions={
        mayHold &&
        retention.data && (
          <Button
            size="small"
            busy={release.isPending}
            onClick={() => (isHeld ? release.mutate() : setAsking(true))}
          >
            {isHeld ? texts.release : texts.hold}
          </Button>
        )
      }
    >
      {retention.data ? <State retention={retention.data} /> : <Skeleton />}
      <Dialog open={isAsking} onClose={() => setAsking(false)} title={texts.holdTitle}>
        <HoldForm fileId={fileId} onClose={() => setAsking(false)} />
      </Dialog>
    </Card>
  );
}

function State({ retention }: { retention: Retention }) {
  const { file_id: id, hold, trash_at: trashAt, purge_at: purgeAt, retention_source: source } = retention;
  if (hold) {
    return (
      <div className="flex flex-col gap-1 text-sm">
        <p>{(hold.file_id === id ? texts.held : texts.heldWith)(formatDate(hold.since))}</p>
        <p className="text-muted wrap-anywhere">{hold.reason}</p>
      </div>
    );
  }
  const isThere = trashAt !== null && Date.parse(trashAt) <= Date.now();
  return (
    <div className="flex flex-col gap-1 text-sm">
      {!isThere && (
        <p>
          {trashAt === null
            ? texts.stays
            : (source === 'folder' ? texts.byFolder : texts.byAccount)(formatDate(trashAt))}
        </p>
      )}
      {purgeAt !== null && <p>{texts.removed(formatDate(purgeAt))}</p>}
    </div>
  );
}

const schema = z.object({ reason: z.string().trim().min(1, TEXTS.errors.required).max(500) });

function HoldForm({ fileId, onClose }: { fileId: string; onClose: () => void }) {
  const queries = useQueryClient();
  const form = useSchemaForm(schema, { reason: '' });
  const hold = useMutation({
    mutationFn: (body: z.output<typeof schema>) =>
      client.api.POST('/files/{file_id}/hold', { params: { path: { file_id: fileId } }, body }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['files', fileId, 'retention'] });
      notify(texts.done);
      onClose();
    },
    onError: (error) => showInForm(form, error),
  });
  const { errors } = form.formState;
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => void form.handleSubmit((body) => hold.mutate(body))(event)}
    >
      <p className="text-sm text-muted">{texts.holdHint}</p>
      <TextInput
        label={texts.reason}
        hint={texts.reasonHint}
        autoFocus
        autoComplete="off"
        error={errors.reason?.message ?? errors.root?.message}
        {...form.register('reason')}
      />
      <DialogActions>
        <Button onClick={onClose}>{TEXTS.common.cancel}</Button>
        <Button type="submit" variant="primary" busy={hold.isPending}>
          {texts.hold}
        </Button>
      </DialogActions>
    </form>
  );
}
