import { Router } from '@koa/router';

/** Where the links of mails lead: what each page asks for, and which operation it calls. */
const PAGES = {
  'verify-email': { title: 'Verify your e-mail address', path: 'auth/verify-email' },
  'reset-password': { title: 'Choose a new password', path: 'auth/reset-password', password: 'required' },
  'change-email': { title: 'Confirm your new e-mail address', path: 'user/confirm-email-change' },
  invitation: { title: 'Accept the invitation', path: 'auth/accept-invitation', password: 'optional' },
} as const satisfies Readonly<Record<string, { title: string; path: string; password?: string }>>;

const PASSWORD = {
  required: 'New password',
  optional: 'Password, if you have none yet',
} as const;

/**
 * The pages behind the links of mails, until a dashboard takes their place. The token is in the fragment of the address:
 * browsers send it to no server and in no Referer. A button uses it, because mail scanners open links.
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
  const page = PAGES[name];
  const field =
    'password' in page
      ? `<p><label>${PASSWORD[page.password]}<br><input name="password" type="password" autocomplete="new-password" ${
          page.password === 'required' ? 'required minlength="8"' : ''
        }></label></p>`
      : '';
  return `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${page.title}</title></head>
  <body>
    <h1>${page.title}</h1>
    <form data-path="../api/v2/${page.path}">${field}<button>${page.title}</button></form>
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
  const fields = [...new FormData(form)].filter(([, value]) => value !== '');
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
