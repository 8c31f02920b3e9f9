import { useState } from 'react';
import { z } from 'zod';
import { client } from '../../lib/client.ts';
import { emailField, showInForm, useSchemaForm } from '../../lib/forms.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { TextInput } from '../../ui/field.tsx';
import { AuthPage, FormError } from './auth-page.tsx';
import { AUTH_TEXTS } from './texts.ts';

const texts = AUTH_TEXTS;
const schema = z.object({
  name: z.string(),
  tenant_name: z.string(),
  email: emailField,
  password: z.string().min(8, TEXTS.errors.tooShort(8)),
});

export function Register() {
  const [isDone, setDone] = useState(false);
  const form = useSchemaForm(schema, { name: '', tenant_name: '', email: '', password: '' });
  const { errors, isSubmitting } = form.formState;
  const register = form.handleSubmit(async ({ name, tenant_name: tenant, ...body }) => {
    try {
      await client.api.POST('/auth/register', {
        body: { ...body, ...(name && { name }), ...(tenant && { tenant_name: tenant }) },
      });
      setDone(true);
    } catch (error) {
      showInForm(form, error);
    }
  });
  if (isDone)
    return (
      <AuthPage title={texts.checkMail} intro={texts.registered}>
        {<ToSignIn />}
      </AuthPage>
    );
  return (
    <AuthPage title={texts.register}>
      <form noValidate onSubmit={(event) => void register(event)} className="flex flex-col gap-4">
        <TextInput label={texts.name} optional autoComplete="name" {...form.register('name')} />
        <TextInput
          label={texts.tenantName}
          optional
          autoComplete="organization"
          error={errors.tenant_name?.message}
          {...form.register('tenant_name')}
        />
        <TextInput
          label={texts.email}
          type="email"
          autoComplete="email"
          error={errors.email?.message}
          {...form.register('email')}
        />
        <TextInput
          label={texts.password}
          type="password"
          autoComplete="new-password"
          hint={texts.passwordHint}
          error={errors.password?.message}
          {...form.register('password')}
        />
        <FormError message={errors.root?.message} />
        <Button type="submit" variant="primary" busy={isSubmitting}>
          {texts.register}
        </Button>
      </form>
      <ToSignIn />
    </AuthPage>
  );
}

function ToSignIn() {
  return (
    <p className="text-sm">
      {texts.haveAccount}{' '}
      <a href="/sign-in" className="text-accent underline">
        {texts.signIn}
      </a>
    </p>
  );
}
