import { useQuery } from '@tanstack/react-query';
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { z } from 'zod';
import type { Data } from 'darkroom-client';
import { client } from '../../lib/client.ts';
import { formatAgo } from '../../lib/format.ts';
import { emailField, showInForm, useSchemaForm } from '../../lib/forms.ts';
import { useMay, useSession } from '../../lib/session.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { SelectInput, TextInput } from '../../ui/field.tsx';
import { ErrorNote, Page, Skeleton } from '../../ui/page.tsx';
import { Badge } from '../../ui/status.tsx';
import { Cell, Table } from '../../ui/table.tsx';
import { FormError } from '../auth/auth-page.tsx';
import { useAction } from './parts.tsx';
import { SETTINGS_TEXTS } from './texts.ts';

const texts = SETTINGS_TEXTS.members;
const roles = SETTINGS_TEXTS.roles;
/** The roles that can be given; ownership cannot. */
const GIVEN = ['viewer', 'editor', 'admin'] as const;
const ROLE_OPTIONS = GIVEN.map((role) => [role, roles[role]] as const);

type Member = Data<'/tenant/members', 'get'>[number];

export function Members() {
  const mayManage = useMay('admin');
  const { user } = useSession();
  const [isInviting, setInviting] = useState(false);
  const [leaving, setLeaving] = useState<Member>();
  const list = useQuery({
    queryKey: ['members'],
    queryFn: async ({ signal }) => (await client.api.GET('/tenant/members', { signal })).data,
  });
  const changeRole = useAction(
    ({ id, role }: { id: string; role: (typeof GIVEN)[number] }) =>
      client.api.PATCH('/tenant/members/{user_id}/role', {
        params: { path: { user_id: id } },
        body: { role },
      }),
    { changes: ['members'], done: texts.roleChanged },
  );
  const remove = useAction(
    (id: string) => client.api.DELETE('/tenant/members/{user_id}', { params: { path: { user_id: id } } }),
    { changes: ['members'], done: texts.removed, onDone: () => setLeaving(undefined) },
  );
  return (
    <Page
      title={SETTINGS_TEXTS.pages.members}
      actions={
        mayManage && (
          <Button variant="primary" icon={UserPlus} onClick={() => setInviting(true)}>
            {texts.invite}
          </Button>
        )
      }
    >
      {list.error && <ErrorNote error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton />}
      {list.data && (
        <Table
          caption={SETTINGS_TEXTS.pages.members}
          columns={[texts.person, texts.role, texts.status, texts.lastActive, '']}
        >
          {list.data.map((member) => {
            const canChange = mayManage && member.role !== 'owner' && member.id !== user.id;
            return (
              <tr key={member.id}>
                <Cell>
                  <p className="font-medium">{member.name}</p>
                  <p className="text-muted">{member.email}</p>
                </Cell>
                <Cell className="min-w-36">
                  {canChange ? (
                    <SelectInput
                      label={texts.roleOf(member.name || member.email)}
                      hideLabel
                      value={member.role}
                      options={ROLE_OPTIONS}
                      onChange={(event) =>
                        changeRole.mutate({
                          id: member.id,
                          role: event.target.value as (typeof GIVEN)[number],
                        })
                      }
                    />
                  ) : (
                    roles[member.role]
                  )}
                </Cell>
                <Cell>
                  <Badge tone={member.status === 'active' ? 'bg-good-soft text-good' : undefined}>
                    {texts.statuses[member.status]}
                  </Badge>
                </Cell>
                <Cell className="whitespace-nowrap">
                  {member.last_active_at ? formatAgo(member.last_active_at) : TEXTS.common.never}
                </Cell>
                <Cell className="text-right">
                  {canChange && (
                    <Button size="small" variant="danger" onClick={() => setLeaving(member)}>
                      {texts.remove}
                    </Button>
                  )}
                </Cell>
              </tr>
            );
          })}
        </Table>
      )}
      <InviteDialog open={isInviting} onClose={() => setInviting(false)} />
      <ConfirmDialog
        open={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        onConfirm={() => leaving && remove.mutate(leaving.id)}
        title={texts.removeTitle(leaving?.name || leaving?.email || '')}
        action={texts.remove}
        busy={remove.isPending}
      >
        {texts.removeText}
      </ConfirmDialog>
    </Page>
  );
}

const schema = z.object({ email: emailField, role: z.enum(GIVEN) });

function InviteDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const form = useSchemaForm(schema, { email: '', role: 'viewer' });
  const invite = useAction(
    (body: z.output<typeof schema>) => client.api.POST('/tenant/members/invite', { body }),
    {
      changes: ['members'],
      done: texts.invited,
      onDone: () => {
        form.reset();
        onClose();
      },
      onError: (error) => showInForm(form, error),
    },
  );
  const { errors } = form.formState;
  const submit = form.handleSubmit((body) => invite.mutate(body));
  const role = form.watch('role');
  return (
    <Dialog open={open} onClose={onClose} title={texts.inviteTitle}>
      <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
        <TextInput
          label={texts.email}
          type="email"
          autoComplete="off"
          error={errors.email?.message}
          {...form.register('email')}
        />
        <SelectInput
          label={texts.role}
          options={ROLE_OPTIONS}
          hint={SETTINGS_TEXTS.roleHints[role]}
          {...form.register('role')}
        />
        <FormError message={errors.root?.message} />
        <DialogActions>
          <Button onClick={onClose}>{TEXTS.common.cancel}</Button>
          <Button type="submit" variant="primary" busy={invite.isPending}>
            {texts.invite}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
