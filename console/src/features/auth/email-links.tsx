import { useState, type ReactNode } from 'react';
import { z } from 'zod';
import { client } from '../../lib/client.ts';
import { showInForm, useSchemaForm } from '../../lib/forms.ts';
import { Button } from '../../ui/button.tsx';
import { CheckboxInput, TextInput } from '../../ui/field.tsx';
import { AuthPage, FormError } from './auth-page.tsx';
import { AUTH_TEXTS } from './texts.ts';

const texts = AUTH_TEXTS;
const schema = z.object({ password: z.string(), new_password: z.string(), revoke_api_keys: z.boolean() });
type Values = z.infer<typeof schema>;

/** Empty inputs are not sent. */
const given = (key: keyof Values, values: Values): Partial<Values> =>
  values[key] === '' ? {} : { [key]: values[key] };

export function VerifyEmail() {
  return (
    <EmailLink
      title={texts.verifyTitle}
      intro={texts.verifyIntro}
      send={async (token, values) => {
        const body = {
          token,
          ...given('password', values),
          ...given('new_password', values),
        };
        await client.api.POST('/auth/verify-email', { body });
      }}
      done={texts.verified}
    >
      {(register) => (
        <>
          <TextInput
            label={texts.registeredPassword}
            type="password"
            autoComplete="current-password"
            {...register('password')}
          />
          <TextInput
            label={texts.orNewPassword}
            type="password"
            autoComplete="new-password"
            {...register('new_password')}
          />
        </>
      )}
    </EmailLink>
  );
}

export function ResetPassword() {
  return (
    <EmailLink
      title={texts.resetTitle}
      send={(token, { password, revoke_api_keys }) =>
        client.api.POST('/auth/reset-password', { body: { token, password, revoke_api_keys } })
      }
      done={texts.passwordReset}
    >
      {(register) => (
        <>
          <TextInput
            label={texts.newPassword}
            type="password"
            autoComplete="new-password"
            hint={texts.passwordHint}
            {...register('password')}
          />
          <CheckboxInput label={texts.revokeKeys} {...register('revoke_api_keys')} />
        </>
      )}
    </EmailLink>
  );
}

export function AcceptInvitation() {
  return (
    <EmailLink
      title={texts.inviteTitle}
      send={(token, values) =>
        client.api.POST('/auth/accept-invitation', { body: { token, ...given('password', values) } })
      }
      done={texts.accepted}
    >
      {(register) => (
        <TextInput
          label={texts.invitePassword}
          type="password"
          autoComplete="new-password"
          hint={texts.passwordHint}
          {...register('password')}
        />
      )}
    </EmailLink>
  );
}

export function ConfirmEmailChange() {
  return (
    <EmailLink
      title={texts.changeEmailTitle}
      send={(token) => client.api.POST('/user/confirm-email-change', { body: { token } })}
      done={texts.emailChanged}
    />
  );
}

/**
 * A page that a link in an email opens. The token is in the fragment of the URL, which browsers send neither to servers
 * nor in a Referer. Only a press of the button uses it, because email scanners open links.
 */
function EmailLink({
  title,
  intro,
  send,
  done,
  children,
}: {
  title: string;
  intro?: string;
  send: (token: string, values: Values) => Promise<unknown>;
  done: string;
  children?: (register: ReturnType<typeof useSchemaForm<typeof schema>>['register']) => ReactNode;
}) {
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get('token'));
  const [isDone, setDone] = useState(false);
  const form = useSchemaForm(schema, { password: '', new_password: '', revoke_api_keys: false });
  const { errors, isSubmitting } = form.formState;
  const submit = form.handleSubmit(async (values) => {
    try {
      await send(token ?? '', values);
      setDone(true);
    } catch (error) {
      showInForm(form, error);
    }
  });
  return (
    <AuthPage title={title} {...(intro && !isDone && { intro })}>
      {isDone ? (
        <p role="status">{done}</p>
      ) : (
        <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
          {children?.(form.register)}
          <FormError
            message={
              token === null
                ? texts.noToken
                : (errors.root ?? errors.password ?? errors.new_password)?.message
            }
          />
          <Button type="submit" variant="primary" busy={isSubmitting} disabled={token === null}>
            {title}
          </Button>
        </form>
      )}
      <a href="/sign-in" className="text-sm text-accent underline">
        {texts.signIn}
      </a>
    </AuthPage>
  );
}
