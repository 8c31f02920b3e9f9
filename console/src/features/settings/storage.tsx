import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { z } from 'zod';
import { client } from '../../lib/client.ts';
import { formatDateTime } from '../../lib/format.ts';
import { showInForm, useSchemaForm } from '../../lib/forms.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Card, ErrorNote, Skeleton } from '../../ui/page.tsx';
import { FormError } from '../auth/auth-page.tsx';
import { BucketInputs, bucketFields, EMPTY_BUCKET } from './bucket-inputs.tsx';
import { AdminPage, Fact, useAction } from './parts.tsx';
import { SETTINGS_TEXTS } from './texts.ts';

const texts = SETTINGS_TEXTS.storage;
const changes = ['storage-config'];

export function Storage() {
  const [isLeaving, setLeaving] = useState(false);
  const storage = useQuery({
    queryKey: changes,
    queryFn: async ({ signal }) => (await client.api.GET('/tenant/storage-config', { signal })).data,
  });
  const check = useAction(async () => (await client.api.POST('/tenant/storage-config/validate')).data, {
    changes,
    done: ({ valid, error }) => (valid ? texts.valid : (error ?? TEXTS.errors.title)),
  });
  const remove = useAction(() => client.api.DELETE('/tenant/storage-config'), {
    changes,
    onDone: () => setLeaving(false),
  });
  const { data } = storage;
  return (
    <AdminPage title={SETTINGS_TEXTS.pages.storage}>
      <p className="max-w-prose text-muted">{texts.intro}</p>
      {storage.error && <ErrorNote error={storage.error} onRetry={() => void storage.refetch()} />}
      {storage.isPending && <Skeleton />}
      {data?.configured && (
        <Card>
          <dl className="grid gap-3 sm:grid-cols-2">
            <Fact name={texts.bucket}>{data.bucket_name}</Fact>
            <Fact name={texts.region}>{data.region}</Fact>
            <Fact name={texts.endpoint}>{data.endpoint ?? '–'}</Fact>
            <Fact name={texts.since}>{formatDateTime(data.configured_at)}</Fact>
          </dl>
          {data.error && <p className="mt-3 rounded-lg bg-bad-soft px-3 py-2 text-bad">{data.error}</p>}
          <div className="mt-4 flex flex-wrap gap-2">
            <Button size="small" busy={check.isPending} onClick={() => check.mutate(undefined)}>
              {texts.check}
            </Button>
            <Button size="small" variant="danger" onClick={() => setLeaving(true)}>
              {texts.remove}
            </Button>
          </div>
        </Card>
      )}
      {data && !data.configured && (
        <Card>
          <p className="mb-4">{texts.none}</p>
          <BucketForm />
        </Card>
      )}
      {data && data.retired_buckets.length > 0 && (
        <Card title={texts.retired}>
          <ul className="flex flex-col gap-2">
            {data.retired_buckets.map((bucket) => (
              <li key={`${bucket.endpoint}/${bucket.bucket_name}`} className="wrap-anywhere">
                {bucket.bucket_name}, {bucket.endpoint}
                {bucket.error && <p className="text-sm text-bad">{bucket.error}</p>}
              </li>
            ))}
          </ul>
        </Card>
      )}
      <ConfirmDialog
        open={isLeaving}
        onClose={() => setLeaving(false)}
        onConfirm={() => remove.mutate(undefined)}
        title={texts.removeTitle}
        action={texts.remove}
        busy={remove.isPending}
      >
        {texts.removeText}
      </ConfirmDialog>
    </AdminPage>
  );
}

const schema = z.object(bucketFields);

function BucketForm() {
  const form = useSchemaForm(schema, EMPTY_BUCKET);
  const configure = useAction(
    ({ endpoint, ...body }: z.output<typeof schema>) =>
      client.api.POST('/tenant/storage-config', { body: { ...body, ...(endpoint && { endpoint }) } }),
    { changes, done: texts.configured, onError: (error) => showInForm(form, error) },
  );
  const submit = form.handleSubmit((values) => configure.mutate(values));
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="flex max-w-md flex-col gap-3">
      <BucketInputs form={form} />
      <FormError message={form.formState.errors.root?.message} />
      <Button type="submit" variant="primary" busy={configure.isPending} className="self-start">
        {texts.configure}
      </Button>
    </form>
  );
}
