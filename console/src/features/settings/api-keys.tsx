import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { z } from 'zod';
import type { Data } from 'darkroom-client';
import { client } from '../../lib/client.ts';
import { formatAgo, formatDate } from '../../lib/format.ts';
import { showInForm, useSchemaForm } from '../../lib/forms.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { CheckboxInput, TextInput } from '../../ui/field.tsx';
import { Empty, ErrorNote, MoreButton, Skeleton } from '../../ui/page.tsx';
import { Badge } from '../../ui/status.tsx';
import { Cell, Table } from '../../ui/table.tsx';
import { FormError } from '../auth/auth-page.tsx';
import { AdminPage, SecretDialog, useAction } from './parts.tsx';
import { SETTINGS_TEXTS } from './texts.ts';

const texts = SETTINGS_TEXTS.keys;
const SCOPES = [
  'files.read',
  'files.write',
  'files.erase',
  'extract.run',
  'usage.read',
  'webhooks.manage',
  'audit.read',
] as const;
const PAGE_SIZE = 50;

type Key = Data<'/api-keys', 'get'>['items'][number];

export function ApiKeys() {
  const [showsAll, setShowsAll] = useState(false);
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string>();
  const [leaving, setLeaving] = useState<Key>();
  const list = useInfiniteQuery({
    queryKey: ['api-keys', showsAll],
    queryFn: async ({ signal, pageParam: offset }) => {
      const query = { ...(!showsAll && { active: true }), offset, limit: PAGE_SIZE };
      return (await client.api.GET('/api-keys', { params: { query }, signal })).data;
    },
    initialPageParam: 0,
    getNextPageParam: ({ has_more: more, offset, limit }) => (more ? offset + limit : undefined),
    placeholderData: keepPreviousData,
  });
  const revoke = useAction(
    (id: string) => client.api.DELETE('/api-keys/{key_id}', { params: { path: { key_id: id } } }),
    { changes: ['api-keys'], done: texts.revokedNotice, onDone: () => setLeaving(undefined) },
  );
  const keys = list.data?.pages.flatMap(({ items }) => items);
  return (
    <AdminPage
      title={SETTINGS_TEXTS.pages.keys}
      actions={
        <Button variant="primary" icon={KeyRound} onClick={() => setCreating(true)}>
          {texts.create}
        </Button>
      }
    >
      <CheckboxInput
        label={texts.showRevoked}
        checked={showsAll}
        onChange={(event) => setShowsAll(event.target.checked)}
      />
      {list.error && <ErrorNote error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton />}
      {keys?.length === 0 && (
        <Empty icon={KeyRound} title={texts.empty}>
          {texts.emptyText}
        </Empty>
      )}
      {keys && keys.length > 0 && (
        <Table
          caption={SETTINGS_TEXTS.pages.keys}
          columns={[texts.name, texts.key, texts.scopes, texts.lastUsed, texts.expires, texts.state, '']}
        >
          {keys.map((key) => (
            <KeyRow key={key.id} apiKey={key} onRevoke={() => setLeaving(key)} />
          ))}
        </Table>
      )}
      <MoreButton list={list} />
      <CreateDialog open={isCreating} onClose={() => setCreating(false)} onCreated={setSecret} />
      <SecretDialog
        title={texts.onceTitle}
        text={texts.onceText}
        secret={secret}
        onClose={() => setSecret(undefined)}
      />
      <ConfirmDialog
        open={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        onConfirm={() => leaving && revoke.mutate(leaving.id)}
        title={texts.revokeTitle(leaving?.name ?? '')}
        action={texts.revoke}
        busy={revoke.isPending}
      >
        {texts.revokeText}
      </ConfirmDialog>
    </AdminPage>
  );
}

function KeyRow({ apiKey, onRevoke }: { apiKey: Key; onRevoke: () => void }) {
  const { expires_at: expires, revoked_at: revoked } = apiKey;
  const isExpired = expires !== null && new Date(expires) < new Date();
  return (
    <tr>
      <Cell className="font-medium">{apiKey.name}</Cell>
      <Cell className="font-mono text-xs">{apiKey.key_hint}</Cell>
      <Cell>
        {apiKey.scopes.length === SCOPES.length
          ? texts.all
          : apiKey.scopes.map((scope) => texts.scopeNames[scope]).join(', ')}
      </Cell>
      <Cell className="whitespace-nowrap">
        {apiKey.last_used_at ? formatAgo(apiKey.last_used_at) : TEXTS.common.never}
      </Cell>
      <Cell className="whitespace-nowrap">{expires ? formatDate(expires) : TEXTS.common.never}</Cell>
      <Cell>
        {revoked ? (
          <Badge>{texts.revoked}</Badge>
        ) : isExpired ? (
          <Badge tone="bg-warn-soft text-warn">{texts.expired}</Badge>
        ) : (
          <Badge tone="bg-good-soft text-good">{texts.active}</Badge>
        )}
      </Cell>
      <Cell className="text-right">
        {!revoked && (
          <Button size="small" variant="danger" onClick={onRevoke}>
            {texts.revoke}
          </Button>
        )}
      </Cell>
    </tr>
  );
}

const schema = z.object({
  name: z.string().min(1, TEXTS.errors.required),
  scopes: z.array(z.enum(SCOPES)),
  expires: z.string(),
});

function CreateDialog({
  open,
  onClose,
  onCreated,
}: {
  open: boolean;
  onClose: () => void;
  onCreated: (key: string) => void;
}) {
  const form = useSchemaForm(schema, { name: '', scopes: [], expires: '' });
  const create = useAction(
    async ({ name, scopes, expires }: z.output<typeof schema>) => {
      const body = {
        name,
        ...(scopes.length > 0 && { scopes }),
        ...(expires && { expires_at: new Date(`${expires}T23:59:59`).toISOString() }),
      };
      return (await client.api.POST('/api-keys', { body })).data;
    },
    {
      changes: ['api-keys'],
      onDone: ({ key }) => {
        form.reset();
        onClose();
        onCreated(key);
      },
      onError: (error) => showInForm(form, error),
    },
  );
  const { errors } = form.formState;
  const submit = form.handleSubmit((values) => create.mutate(values));
  return (
    <Dialog open={open} onClose={onClose} title={texts.create}>
      <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
        <TextInput
          label={texts.name}
          autoComplete="off"
          hint={texts.nameHint}
          error={errors.name?.message}
          {...form.register('name')}
        />
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1 text-sm font-medium">{texts.scopes}</legend>
          {SCOPES.map((scope) => (
            <CheckboxInput
              key={scope}
              label={texts.scopeNames[scope]}
              hint={
                <>
                  {texts.scopeHints[scope]} <code>{scope}</code>
                </>
              }
              value={scope}
              {...form.register('scopes')}
            />
          ))}
          <p className="text-sm text-muted">{texts.scopesHint}</p>
        </fieldset>
        <TextInput label={texts.expires} type="date" hint={texts.expiresHint} {...form.register('expires')} />
        <FormError message={errors.root?.message} />
        <DialogActions>
          <Button onClick={onClose}>{TEXTS.common.cancel}</Button>
          <Button type="submit" variant="primary" busy={create.isPending}>
            {texts.create}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
