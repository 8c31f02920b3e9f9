import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { z } from 'zod';
import { byCode, client } from '../../lib/client.ts';
import { emailField, showInForm, useSchemaForm } from '../../lib/forms.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { TextInput } from '../../ui/field.tsx';
import { AuthPage, FormError } from './auth-page.tsx';
import { AUTH_TEXTS } from './texts.ts';

const texts = AUTH_TEXTS;
const schema = z.object({
  email: emailField,
  password: z.string().min(1, TEXTS.errors.required),
});
const route = getRouteApi('/sign-in');

export function SignIn() {
  const { next } = route.useSearch();
  const queries = useQueryClient();
  // The demo prints a link with both; a fragment is sent to no server. Only a press of the button signs in with them.
  const [filled] = useState(() => new URLSearchParams(location.hash.slice(1)));
  const isFilled = filled.has('email');
  const [refusal] = useState(takeRefusal);
  const form = useSchemaForm(schema, {
    email: filled.get('email') ?? '',
    password: filled.get('password') ?? '',
  });
  useEffect(() => {
    if (isFilled) history.replaceState(history.state, '', location.pathname + location.search);
  }, [isFilled]);
  const { errors, isSubmitting } = form.formState;
  const signIn = form.handleSubmit(async (body) => {
    try {
      await client.api.POST('/auth/login', { body });
      queries.clear();
      // A new document, whose policy names the store of this tenant.
      location.assign(pageOf(next));
    } catch (error) {
      showInForm(form, error);
    }
  });
  return (
    <AuthPage title={texts.signIn} {...(isFilled && { intro: texts.prefilled })}>
      <form noValidate onSubmit={(event) => void signIn(event)} className="flex flex-col gap-4">
        <TextInput
          label={texts.email}
          type="email"
          autoComplete="username"
          error={errors.email?.message}
          {...form.register('email')}
        />
        <TextInput
          label={texts.password}
          type="password"
          autoComplete="current-password"
          error={errors.password?.message}
          {...form.register('password')}
        />
        <FormError message={errors.root?.message ?? refusal} />
        <Button type="submit" variant="primary" busy={isSubmitting} autoFocus={isFilled}>
          {texts.signIn}
        </Button>
      </form>
      <ProviderLinks />
      <p className="flex flex-col gap-1 text-sm">
        <Link to="/forgot-password" className="text-accent underline">
          {texts.forgot}
        </Link>
        <span>
          {texts.noAccount}{' '}
          <Link to="/register" className="text-accent underline">
            {texts.register}
          </Link>
        </span>
      </p>
    </AuthPage>
  );
}

/**
 * Only pages of this console: `next` is part of a link that anybody can send. The whole URL, as it was checked: a path may
 * begin with `//`, which names another host.
 */
function pageOf(next: string | undefined): string {
  const url = URL.parse(next ?? '/', location.origin);
  return url?.origin === location.origin ? url.href : '/';
}

/** Why the identity provider's user was refused, once: the API leaves it in a cookie and leads back here. */
function takeRefusal(): string | undefined {
  // Over https only the name that no other host of the domain can set.
  const [name, secure] = location.protocol === 'https:' ? ['__Host-refusal', '; Secure'] : ['refusal', ''];
  const cookie = document.cookie.split('; ').find((one) => one.startsWith(`${name}=`));
  if (cookie === undefined) return undefined;
  document.cookie = `${name}=; Path=/; Max-Age=0${secure}`;
  const refused = new URLSearchParams(cookie.slice(name.length + 1));
  const code = refused.get('code') ?? '';
  // Its words are for fields of forms; here it is the link.
  return code === 'VALIDATION_FAILED' ? texts.unreadableLink : byCode(code, refused.get('detail') ?? '');
}

/** Links of the browser and not of the router: they lead through the API to the identity providers. */
function ProviderLinks() {
  const { data } = useQuery({
    queryKey: ['login-methods'],
    queryFn: async ({ signal }) => (await client.api.GET('/auth/methods', { signal })).data,
  });
  return data?.identity_providers?.map(({ id, name }) => (
    <a
      key={id}
      href={`/api/v2/auth/oidc/start?provider=${id}`}
      className="flex min-h-10 items-center justify-center rounded-lg border border-line px-3 text-center font-medium hover:bg-sunken"
    >
      {name === null ? texts.withProvider : texts.withNamed(name)}
    </a>
  ));
}
