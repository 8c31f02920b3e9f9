import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { z } from 'zod';
import { client } from '../../lib/client.ts';
import { formatAgo } from '../../lib/format.ts';
import { emailField, showInForm, useSchemaForm } from '../../lib/forms.ts';
import { sessionQuery, useSession } from '../../lib/session.ts';
import { TEXTS } from '../../texts.ts';
import { AUTH_TEXTS } from '../auth/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { TextInput } from '../../ui/field.tsx';
import { notify } from '../../ui/notices.tsx';
import { Card, ErrorNote, Page, Skeleton } from '../../ui/page.tsx';
import { Badge } from '../../ui/status.tsx';
import { Cell, Table } from '../../ui/table.tsx';
import { FormError } from '../auth/auth-page.tsx';
import { useAction } from './parts.tsx';
import { SETTINGS_TEXTS } from './texts.ts';

const texts = SETTINGS_TEXTS.profile;
const password = z.string().min(8, TEXTS.errors.tooShort(8));
const required = z.string().min(1, TEXTS.errors.required);

export function Profile() {
  const { auth_provider: provider } = useSession();
  const hasPassword = provider === 'password' || provider === 'both';
  return (
    <Page title={SETTINGS_TEXTS.pages.profile}>
      <NameCard />
      {hasPassword ? (
        <>
          <EmailCard />
          <PasswordCard />
        </>
      ) : (
        <InitialPasswordCard />
      )}
      <Sessions />
      <DeletionCard hasPassword={hasPassword} />
    </Page>
  );
}

function NameCard() {
  const { user } = useSession();
  const queries = useQueryClient();
  const form = useSchemaForm(z.object({ name: required }), { name: user.name });
  const save = form.handleSubmit(async (body) => {
    try {
      await client.api.PATCH('/user/profile', { body });
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
      notify(TEXTS.common.saved);
    } catch (error) {
      showInForm(form, error);
    }
  });
  const { errors, isSubmitting } = form.formState;
  return (
    <Card>
      <form
        noValidate
        onSubmit={(event) => void save(event)}
        className="flex max-w-md flex-col items-start gap-3"
      >
        <div className="w-full">
          <TextInput
            label={texts.name}
            autoComplete="name"
            error={errors.name?.message}
            {...form.register('name')}
          />
        </div>
        <FormError message={errors.root?.message} />
        <Button type="submit" busy={isSubmitting}>
          {TEXTS.common.save}
        </Button>
      </form>
    </Card>
  );
}

function EmailCard() {
  const { user } = useSession();
  const schema = z.object({ new_email: emailField, password: required });
  const form = useSchemaForm(schema, { new_email: '', password: '' });
  const change = form.handleSubmit(async (body) => {
    try {
      const { data } = await client.api.POST('/user/change-email', { body });
      form.reset();
      notify(data.message);
    } catch (error) {
      showInForm(form, error);
    }
  });
  const { errors, isSubmitting } = form.formState;
  return (
    <Card title={texts.email}>
      <p className="mb-3">{user.email}</p>
      <form noValidate onSubmit={(event) => void change(event)} className="flex max-w-md flex-col gap-3">
        <TextInput
          label={texts.newEmail}
          type="email"
          autoComplete="email"
          hint={texts.emailHint}
          error={errors.new_email?.message}
          {...form.register('new_email')}
        />
        <TextInput
          label={texts.currentPassword}
          type="password"
          autoComplete="current-password"
          error={errors.password?.message}
          {...form.register('password')}
        />
        <FormError message={errors.root?.message} />
        <Button type="submit" busy={isSubmitting} className="self-start">
          {texts.changeEmail}
        </Button>
      </form>
    </Card>
  );
}

function PasswordCard() {
  const form = useSchemaForm(z.object({ current_password: required, new_password: password }), {
    current_password: '',
    new_password: '',
  });
  const queries = useQueryClient();
  const change = form.handleSubmit(async (body) => {
    try {
      await client.api.POST('/user/change-password', { body });
      form.reset();
      await queries.invalidateQueries({ queryKey: ['login-sessions'] });
      notify(texts.passwordSaved);
    } catch (error) {
      showInForm(form, error);
    }
  });
  const { errors, isSubmitting } = form.formState;
  return (
    <Card title={texts.password}>
      <form noValidate onSubmit={(event) => void change(event)} className="flex max-w-md flex-col gap-3">
        <TextInput
          label={texts.currentPassword}
          type="password"
          autoComplete="current-password"
          error={errors.current_password?.message}
          {...form.register('current_password')}
        />
        <TextInput
          label={AUTH_TEXTS.newPassword}
          type="password"
          autoComplete="new-password"
          hint={texts.passwordHint}
          error={errors.new_password?.message}
          {...form.register('new_password')}
        />
        <FormError message={errors.root?.message} />
        <Button type="submit" busy={isSubmitting} className="self-start">
          {texts.changePassword}
        </Button>
      </form>
    </Card>
  );
}

function InitialPasswordCard() {
  const form = useSchemaForm(z.object({ password }), { password: '' });
  const queries = useQueryClient();
  const set = form.handleSubmit(async (body) => {
    try {
      await client.api.POST('/user/set-initial-password', { body: body.password });
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
      notify(TEXTS.common.saved);
    } catch (error) {
      showInForm(form, error);
    }
  });
  const { errors, isSubmitting } = form.formState;
  return (
    <Card title={texts.password}>
      <form noValidate onSubmit={(event) => void set(event)} className="flex max-w-md flex-col gap-3">
        <p className="text-muted">{texts.noPassword}</p>
        <TextInput
          label={AUTH_TEXTS.newPassword}
          type="password"
          autoComplete="new-password"
          error={errors.password?.message}
          {...form.register('password')}
        />
        <FormError message={errors.root?.message} />
        <Button type="submit" busy={isSubmitting} className="self-start">
          {texts.setPassword}
        </Button>
      </form>
    </Card>
  );
}

function Sessions() {
  const list = useQuery({
    queryKey: ['login-sessions'],
    queryFn: async ({ signal }) => (await client.api.GET('/user/sessions', { signal })).data,
  });
  const changes = ['login-sessions'];
  const end = useAction(
    (id: string) =>
      client.api.DELETE('/user/sessions/{session_id}', { params: { path: { session_id: id } } }),
    { changes, done: texts.sessionEnded },
  );
  const endOthers = useAction(() => client.api.POST('/user/revoke-all-sessions'), {
    changes,
    done: texts.sessionEnded,
  });
  const others = list.data?.some((session) => !session.is_current);
  return (
    <Card
      title={texts.sessions}
      actions={
        others && (
          <Button size="small" busy={endOthers.isPending} onClick={() => endOthers.mutate(undefined)}>
            {texts.endOthers}
          </Button>
        )
      }
    >
      {list.error && <ErrorNote error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton />}
      {list.data && (
        <Table caption={texts.sessions} columns={[texts.device, texts.address, texts.lastActive, '']}>
          {list.data.map((session) => (
            <tr key={session.id}>
              <Cell className="max-w-72 truncate">{session.user_agent}</Cell>
              <Cell>{session.ip_address}</Cell>
              <Cell className="whitespace-nowrap">{formatAgo(session.last_activity_at)}</Cell>
              <Cell className="text-right">
                {session.is_current ? (
                  <Badge>{texts.thisSession}</Badge>
                ) : (
                  <Button size="small" onClick={() => end.mutate(session.id)}>
                    {texts.endSession}
                  </Button>
                )}
              </Cell>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  );
}

/** What the API asks for, word by word. */
const PHRASE = 'delete my account';

function DeletionCard({ hasPassword }: { hasPassword: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const [secret, setSecret] = useState('');
  const remove = useAction(
    () =>
      client.api.POST('/user/account/delete', {
        body: { confirmation: PHRASE, ...(hasPassword && { password: secret }) },
      }),
    {
      changes: sessionQuery.queryKey,
      onDone: () => location.assign('/sign-in'),
    },
  );
  return (
    <Card title={texts.deleteTitle}>
      <p className="mb-3 max-w-prose text-muted">{texts.deleteIntro}</p>
      <Button variant="danger" onClick={() => setOpen(true)}>
        {texts.deleteAction}
      </Button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title={texts.deleteTitle}>
        <p className="text-muted">{texts.deleteIntro}</p>
        <TextInput
          label={texts.deleteConfirm(PHRASE)}
          value={typed}
          autoComplete="off"
          onChange={(event) => setTyped(event.target.value)}
        />
        {hasPassword ? (
          <TextInput
            label={texts.currentPassword}
            type="password"
            value={secret}
            autoComplete="current-password"
            onChange={(event) => setSecret(event.target.value)}
          />
        ) : (
          <p className="text-muted">{texts.deleteRecent}</p>
        )}
        <DialogActions>
          <Button onClick={() => setOpen(false)}>{TEXTS.common.cancel}</Button>
          <Button
            variant="danger"
            disabled={typed.trim().toLowerCase() !== PHRASE || (hasPassword && secret === '')}
            busy={remove.isPending}
            onClick={() => remove.mutate(undefined)}
          >
            {texts.deleteAction}
          </Button>
        </DialogActions>
      </Dialog>
    </Card>
  );
}
