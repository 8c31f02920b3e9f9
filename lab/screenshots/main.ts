import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sparticuz from '@sparticuz/chromium';
import { chromium, type Page } from 'playwright-core';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import { Darkroom } from '../../sdk/src/index.ts';

/** `npm run screenshots`: pictures of the console for README and guide, of the demo that is running. */
const FOLDER = join(PROJECT_ROOT, 'docs', 'images');
const SIZE = { width: 1280, height: 800 };
const SETTLED_MS = 2000;

interface Run {
  api_url: string;
  api_key: string;
  tenants: { enterprise: { email: string; password: string } };
}

/** A page of the console, and what to do there before it is taken. */
interface Shot {
  name: string;
  path: string;
  theme?: 'dark';
  prepare?: (page: Page) => Promise<void>;
}

const run = JSON.parse(readFileSync(join(PROJECT_ROOT, '.darkroom', 'run.json'), 'utf8')) as Run;
const client = new Darkroom({ baseUrl: run.api_url, apiKey: run.api_key });
const ids = await idsByName();
const SHOTS: readonly Shot[] = [
  { name: 'library', path: '/' },
  { name: 'document', path: `/files/${idOf('pump-manual.pdf')}?page=2` },
  { name: 'image', path: `/files/${idOf('coffee.jpg')}`, theme: 'dark' },
  {
    name: 'ask',
    path: '/ask',
    prepare: async (page) => {
      await page.getByRole('textbox').first().fill('How long is the warranty of the pump?');
      await page.keyboard.press('Enter');
      await page.getByText('pump-manual.pdf').first().waitFor();
    },
  },
  { name: 'processing', path: `/files/${idOf('pump-manual.pdf')}?tab=processing` },
  { name: 'usage', path: '/settings/usage' },
];

const executablePath = process.env['CHROMIUM_PATH'] ?? (await sparticuz.executablePath());
if (!process.env['CHROMIUM_PATH']) chmodSync(executablePath, 0o755);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
try {
  const session = await signIn();
  for (const shot of SHOTS) await take(shot, session);
} finally {
  await browser.close();
}

/** The cookies of a session; one for all pictures, as the service limits attempts to sign in. */
async function signIn() {
  const context = await browser.newContext({ baseURL: new URL(run.api_url).origin });
  const page = await context.newPage();
  const { email, password } = run.tenants.enterprise;
  await page.goto(`/sign-in#${new URLSearchParams({ email, password }).toString()}`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Library', level: 1 }).waitFor();
  const state = await context.storageState();
  await context.close();
  return state;
}

async function take(
  { name, path, theme, prepare }: Shot,
  storageState: Awaited<ReturnType<typeof signIn>>,
): Promise<void> {
  const context = await browser.newContext({
    viewport: SIZE,
    baseURL: new URL(run.api_url).origin,
    locale: 'en-GB',
    colorScheme: theme ?? 'light',
    storageState,
  });
  const page = await context.newPage();
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await prepare?.(page);
  await page.waitForLoadState('networkidle').catch(() => undefined);
  // Pictures fade in.
  await page.waitForTimeout(SETTLED_MS);
  const file = join(FOLDER, `console-${name}.png`);
  await page.screenshot({ path: file });
  console.log(file);
  await context.close();
}

async function idsByName(): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for await (const { filename, id } of client.list('/files')) found.set(filename, id);
  return found;
}

/** @throws Error if the demo has not added the file */
function idOf(filename: string): string {
  const id = ids.get(filename);
  if (id === undefined) throw new Error(`${filename} is missing: run this beside \`npm run demo\``);
  return id;
}
