import { z } from 'zod';
import { client } from '../../lib/client.ts';
import { showInForm, useSchemaForm } from '../../lib/forms.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { FormError } from '../auth/auth-page.tsx';
import { BucketInputs, bucketFields, EMPTY_BUCKET } from './bucket-inputs.tsx';
import { useAction } from './parts.tsx';
import { SETTINGS_TEXTS } from './texts.ts';

const texts = SETTINGS_TEXTS.connections;
const schema = z.object({ ...bucketFields, access_key_id: z.string(), secret_access_key: z.string() });

/** Connects a bucket whose files are to be imported. */
export function ConnectBucket({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title={texts.connectBucket}>
      <ConnectForm onClose={onClose} />
    </Dialog>
  );
}

function ConnectForm({ onClose }: { onClose: () => void }) {
  const form = useSchemaForm(schema, EMPTY_BUCKET);
  const connect = useAction(
    ({ endpoint, access_key_id: id, secret_access_key: secret, ...bucket }: z.output<typeof schema>) =>
      client.api.POST('/connections', {
        body: {
          provider: 's3',
          ...bucket,
          ...(endpoint && { endpoint }),
          ...(id && { access_key_id: id }),
          ...(secret && { secret_access_key: secret }),
        },
      }),
    { changes: ['connections'], onDone: onClose, onError: (error) => showInForm(form, error) },
  );
  const submit = form.handleSubmit((values) => connect.mutate(values));
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-3">
      <BucketInputs form={form} isPublic />
      <FormError message={form.formState.errors.root?.message} />
      <DialogActions>
        <Button onClick={onClose}>{TEXTS.common.cancel}</Button>
        <Button type="submit" variant="primary" busy={connect.isPending}>
          {texts.connectSubmit}
        </Button>
      </DialogActions>
    </form>
  );
}
