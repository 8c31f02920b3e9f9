import { Router } from '@koa/router';

interface Page {
  title: string;
  /** Path of the operation that it calls. */
  path: string;
  /** Its inputs; empty ones are not sent. */
  fields: readonly { name: string; label: string; attributes: string }[];
}

const NEW_PASSWORD = 'type="password" autocomplete="new-password" minlength="8"';

/** The pages that links in emails open, with their inputs and the operations they call. */
const PAGES = {
  'verify-email': {
    title: 'Verify your email address',
    path: 'auth/verify-email',
    fields: [
      {
        name: 'password',
        label: 'The password that was registered',
        attributes: 'type="password" autocomplete="current-password"',
      },
      { name: 'new_password', label: 'Or a new one, if you do not know it', attributes: NEW_PASSWORD },
    ],
  },
  'reset-password': {
    title: 'Choose a new password',
    path: 'auth/reset-password',
    fields: [
      { name: 'password', label: 'New password', attributes: `${NEW_PASSWORD} required` },
      {
        name: 'revoke_api_keys',
        label: 'Revoke the API keys that I have created',
        attributes: 'type="checkbox"',
      },
    ],
  },
  'change-email': { title: 'Confirm your new email address', path: 'user/confirm-email-change', fields: [] },
  invitation: {
    title: 'Accept the invitation',
    path: 'auth/accept-invitation',
    fields: [{ name: 'password', label: 'Password, if you have none yet', attributes: NEW_PASSWORD }],
  },
} as const satisfies Readonly<Record<string, Page>>;

/**
 * The pages behind links in emails, until a dashboard replaces them. The token is in the URL's fragment, which browsers
 * send neither to servers nor in a Referer. Only a button uses it, because email scanners open links.
 */
export function accountPagesRouter(): Router {
  const router = new Router({ prefix: '/account' });
  router.get('/start.js', (ctx) => {
    ctx.type = 'text/javascript';
    ctx.body = SCRIPT;
  });
  router.get('/:page', (ctx) => {
    const name = String(ctx['params'].page);
    if (!isPage(name)) return;
    ctx.set('Cache-Control', 'no-store');
    ctx.type = 'html';
    ctx.body = pageOf(name);
  });
  return router;
}

function isPage(name: string): name is keyof typeof PAGES {
  return Object.hasOwn(PAGES, name);
}

function pageOf(name: keyof typeof PAGES): string {
  const page: Page = PAGES[name];
  const fields = page.fields
    .map(
      ({ name: field, label, attributes }) =>
        `<p><label>${label}<br><input name="${field}" ${attributes}></label></p>`,
    )
    .join('');
  return `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${page.title}</title></head>
  <body>
    <h1>${page.title}</h1>
    <form data-path="../api/v2/${page.path}">${fields}<button>${page.title}</button></form>
    <p role="status"></p>
    <script src="start.js"></script>
  </body>
</html>`;
}

const SCRIPT = `const form = document.querySelector('form');
const status = document.querySelector('[role=status]');
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
  const inputs = [...form.querySelectorAll('input')];
  const fields = inputs
    .map(({ name, type, checked, value }) => [name, type === 'checkbox' ? checked : value])
    .filter(([, value]) => value !== '');
  const response = await fetch(form.dataset.path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token, ...Object.fromEntries(fields) }),
  });
  const body = await response.json();
  status.textContent = body.message ?? body.detail;
  if (response.ok) form.hidden = true;
});
`;
