import type { Data } from 'darkroom-client';
import { useEffect, useState } from 'react';
import { byCode, client, fieldErrorsOf, messageOf } from '../../lib/client.ts';
import { TEXTS } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { TextInput } from '../../ui/field.tsx';
import { AuthPage, FormError } from './auth-page.tsx';
import { AUTH_TEXTS } from './texts.ts';

const texts = AUTH_TEXTS;
/** What is wrong with a field that the browser does not accept. */
const WRONG = { email: TEXTS.errors.email, password: TEXTS.errors.required } as const;
type Errors = Partial<Record<keyof typeof WRONG | 'form', string>>;

/** A document of its own, without the router and the libraries of the other pages, because it is the first that people see. */
export function SignIn() {
  // The demo prints a link with both; a fragment is sent to no server. Only a press of the button signs in with them.
  const [filled] = useState(() => new URLSearchParams(location.hash.slice(1)));
  const isFilled = filled.has('email');
  const [errors, setErrors] = useState<Errors>(() => ({ form: takeRefusal() }));
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    if (isFilled) history.replaceState(history.state, '', location.pathname + location.search);
  }, [isFilled]);
  const signIn = async (form: HTMLFormElement) => {
    const wrong = [...form.querySelectorAll('input')].filter(({ validity }) => !validity.valid);
    setErrors(Object.fromEntries(wrong.map(({ name }) => [name, WRONG[name as keyof typeof WRONG]])));
    if (wrong.length > 0) return wrong[0]?.focus();
    setBusy(true);
    try {
      const { email, password } = Object.fromEntries(new FormData(form)) as Record<string, string>;
      await client.api.POST('/auth/login', { body: { email: email ?? '', password: password ?? '' } });
      // A new document, whose policy names the store of this tenant.
      location.assign(pageOf(new URLSearchParams(location.search).get('next') ?? '/'));
    } catch (error) {
      const fields = fieldErrorsOf(error).filter(([name]) => name in WRONG);
      setErrors(fields.length > 0 ? Object.fromEntries(fields) : { form: messageOf(error) });
    } finally {
      setBusy(false);
    }
  };
  return (
    <AuthPage title={texts.signIn} {...(isFilled && { intro: texts.prefilled })}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void signIn(event.currentTarget);
        }}
        className="flex flex-col gap-4"
      >
        <TextInput
          label={texts.email}
          name="email"
          type="email"
          autoComplete="username"
          required
          defaultValue={filled.get('email') ?? ''}
          error={errors.email}
        />
        <TextInput
          label={texts.password}
          name="password"
          type="password"
          autoComplete="current-password"
          required
          defaultValue={filled.get('password') ?? ''}
          error={errors.password}
        />
        <FormError message={errors.form} />
        <Button type="submit" variant="primary" busy={isBusy} autoFocus={isFilled}>
          {texts.signIn}
        </Button>
      </form>
      <ProviderLinks />
      <p className="flex flex-col gap-1 text-sm">
        <a href="/forgot-password" className="text-accent underline">
          {texts.forgot}
        </a>
        <span>
          {texts.noAccount}{' '}
          <a href="/register" className="text-accent underline">
            {texts.register}
          </a>
        </span>
      </p>
    </AuthPage>
  );
}

/**
 * Only pages of this console: `next` is part of a link that anybody can send. The whole URL, as it was checked: a path may
 * begin with `//`, which names another host.
 */
function pageOf(next: string): string {
  const url = URL.parse(next, location.origin);
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

type Provider = NonNullable<Data<'/auth/methods', 'get'>['identity_providers']>[number];

/** They lead through the API to the identity providers. */
function ProviderLinks() {
  const [providers, setProviders] = useState<Provider[]>([]);
  useEffect(() => {
    // Without an answer the password still signs in.
    client.api.GET('/auth/methods').then(
      ({ data }) => setProviders(data.identity_providers ?? []),
      () => undefined,
    );
  }, []);
  return providers.map(({ id, name }) => (
    <a
      key={id}
      href={`/api/v2/auth/oidc/start?provider=${id}`}
      className="flex min-h-10 items-center justify-center rounded-lg border border-line px-3 text-center font-medium hover:bg-sunken"
    >
      {name === null ? texts.withProvider : texts.withNamed(name)}
    </a>
  ));
}
