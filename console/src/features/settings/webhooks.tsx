import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Webhook as WebhookIcon } from 'lucide-react';
import { useState } from 'react';
import { z } from 'zod';
import type { Data } from 'darkroom-client';
import { client } from '../../lib/client.ts';
import { formatAgo } from '../../lib/format.ts';
import { showInForm, useSchemaForm } from '../../lib/forms.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { CheckboxInput, TextInput } from '../../ui/field.tsx';
import { Empty, ErrorNote, MoreButton, Skeleton } from '../../ui/page.tsx';
import { Badge } from '../../ui/status.tsx';
import { Cell, Table } from '../../ui/table.tsx';
import { FormError } from '../auth/auth-page.tsx';
import { AdminPage, SecretDialog, useAction } from './parts.tsx';
import { SETTINGS_TEXTS } from './texts.ts';

const texts = SETTINGS_TEXTS.webhooks;
const GROUPS = [
  '*',
  'file.*',
  'document.*',
  'upload.*',
  'batch.*',
  'extraction.*',
  'export.*',
  'usage.*',
  'api_key.*',
] as const;
const PAGE_SIZE = 50;

export type Subscription = Data<'/webhooks/subscriptions', 'get'>['items'][number];

export function Webhooks() {
  const [isAdding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string>();
  const list = useInfiniteQuery({
    queryKey: ['webhooks', 'list'],
    queryFn: async ({ signal, pageParam: offset }) =>
      (
        await client.api.GET('/webhooks/subscriptions', {
          params: { query: { offset, limit: PAGE_SIZE } },
          signal,
        })
      ).data,
    initialPageParam: 0,
    getNextPageParam: ({ has_more: more, offset, limit }) => (more ? offset + limit : undefined),
  });
  const hooks = list.data?.pages.flatMap(({ items }) => items);
  return (
    <AdminPage
      title={SETTINGS_TEXTS.pages.webhooks}
      actions={
        <Button variant="primary" icon={WebhookIcon} onClick={() => setAdding(true)}>
          {texts.add}
        </Button>
      }
    >
      {list.error && <ErrorNote error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton />}
      {hooks?.length === 0 && (
        <Empty icon={WebhookIcon} title={texts.empty}>
          {texts.emptyText}
        </Empty>
      )}
      {hooks && hooks.length > 0 && (
        <Table caption={SETTINGS_TEXTS.pages.webhooks} columns={[texts.url, texts.events, texts.state]}>
          {hooks.map((hook) => (
            <tr key={hook.id}>
              <Cell className="wrap-anywhere">
                <Link
                  to="/settings/webhooks/$webhookId"
                  params={{ webhookId: hook.id }}
                  className="font-medium text-accent underline"
                >
                  {hook.url}
                </Link>
                {hook.description && <p className="text-muted">{hook.description}</p>}
              </Cell>
              <Cell>{namesOf(hook.event_types)}</Cell>
              <Cell>
                <WebhookState hook={hook} />
              </Cell>
            </tr>
          ))}
        </Table>
      )}
      <MoreButton list={list} />
      <AddDialog open={isAdding} onClose={() => setAdding(false)} onAdded={setSecret} />
      <SecretDialog
        title={texts.secretTitle}
        text={texts.secretText}
        secret={secret}
        onClose={() => setSecret(undefined)}
      />
    </AdminPage>
  );
}

/** The events of a webhook, by their names; a pattern that has none is shown as it is. */
export const namesOf = (patterns: readonly string[]): string =>
  patterns
    .map(
      (pattern) =>
        ({ ...texts.groups, ...texts.eventNames })[pattern as keyof typeof texts.groups] ?? pattern,
    )
    .join(', ');

/** Whether a webhook is enabled, and since when it fails. */
export function WebhookState({ hook }: { hook: Subscription }) {
  if (!hook.enabled) return <Badge tone="bg-bad-soft text-bad">{texts.disabled}</Badge>;
  if (hook.failing_since) {
    return <Badge tone="bg-warn-soft text-warn">{texts.failing(formatAgo(hook.failing_since))}</Badge>;
  }
  return <Badge tone="bg-good-soft text-good">{texts.enabled}</Badge>;
}

const schema = z.object({
  url: z.url(TEXTS.errors.url),
  description: z.string(),
  event_types: z.array(z.enum(GROUPS)).min(1, TEXTS.errors.required),
  ordered: z.boolean(),
});

function AddDialog({
  open,
  onClose,
  onAdded,
}: {
  open: boolean;
  onClose: () => void;
  onAdded: (secret: string) => void;
}) {
  const form = useSchemaForm(schema, { url: '', description: '', event_types: ['*'], ordered: false });
  const add = useAction(
    async ({ description, ...body }: z.output<typeof schema>) =>
      (
        await client.api.POST('/webhooks/subscriptions', {
          body: { ...body, ...(description && { description }) },
        })
      ).data,
    {
      changes: ['webhooks'],
      onDone: ({ secret }) => {
        form.reset();
        onClose();
        onAdded(secret);
      },
      onError: (error) => showInForm(form, error),
    },
  );
  const { errors } = form.formState;
  const submit = form.handleSubmit((values) => add.mutate(values));
  return (
    <Dialog open={open} onClose={onClose} title={texts.add}>
      <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
        <TextInput
          label={texts.url}
          type="url"
          placeholder="https://"
          error={errors.url?.message}
          {...form.register('url')}
        />
        <TextInput label={texts.description} optional {...form.register('description')} />
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1 text-sm font-medium">{texts.events}</legend>
          <div className="grid gap-2 sm:grid-cols-2">
            {GROUPS.map((group) => (
              <CheckboxInput
                key={group}
                label={texts.groups[group]}
                hint={
                  <>
                    {texts.groupHints[group]} <code>{group}</code>
                  </>
                }
                value={group}
                {...form.register('event_types')}
              />
            ))}
          </div>
          {errors.event_types && <p className="text-sm text-bad">{errors.event_types.message}</p>}
        </fieldset>
        <CheckboxInput label={texts.ordered} {...form.register('ordered')} />
        <FormError message={errors.root?.message} />
        <DialogActions>
          <Button onClick={onClose}>{TEXTS.common.cancel}</Button>
          <Button type="submit" variant="primary" busy={add.isPending}>
            {texts.add}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
