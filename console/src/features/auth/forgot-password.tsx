import { useState } from 'react';
import { z } from 'zod';
import { client } from '../../lib/client.ts';
import { emailField, showInForm, useSchemaForm } from '../../lib/forms.ts';
import { Button } from '../../ui/button.tsx';
import { TextInput } from '../../ui/field.tsx';
import { AuthPage, FormError } from './auth-page.tsx';
import { AUTH_TEXTS } from './texts.ts';

const texts = AUTH_TEXTS;
const schema = z.object({ email: emailField });

export function ForgotPassword() {
  const [isSent, setSent] = useState(false);
  const form = useSchemaForm(schema, { email: '' });
  const { errors, isSubmitting } = form.formState;
  const send = form.handleSubmit(async (body) => {
    try {
      await client.api.POST('/auth/forgot-password', { body });
      setSent(true);
    } catch (error) {
      showInForm(form, error);
    }
  });
  return (
    <AuthPage
      title={isSent ? texts.checkMail : texts.forgotTitle}
      intro={isSent ? texts.resetSent : texts.forgotIntro}
    >
      {!isSent && (
        <form noValidate onSubmit={(event) => void send(event)} className="flex flex-col gap-4">
          <TextInput
            label={texts.email}
            type="email"
            autoComplete="username"
            error={errors.email?.message}
            {...form.register('email')}
          />
          <FormError message={errors.root?.message} />
          <Button type="submit" variant="primary" busy={isSubmitting}>
            {texts.sendLink}
          </Button>
        </form>
      )}
      <a href="/sign-in" className="text-sm text-accent underline">
        {texts.signIn}
      </a>
    </AuthPage>
  );
}
