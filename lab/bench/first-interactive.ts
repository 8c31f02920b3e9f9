import { chmodSync } from 'node:fs';
import sparticuz from '@sparticuz/chromium';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import type { Stack } from '../../dev/launcher/stack.ts';
import { resolveApiKey } from '../../services/accounts/api-key.ts';
import type { BenchContext } from './context.ts';
import { seedFiles } from './seed-files.ts';
import { goalResult, interleave, spread } from './statistics.ts';

const FILES = 1000;
const GOAL = { most: 1000 };
/** A phone of the middle class on a good mobile network. */
const CPU_SLOWDOWN = 4;
const NETWORK = {
  offline: false,
  latency: 60,
  downloadThroughput: 9_000_000 / 8,
  uploadThroughput: 1_500_000 / 8,
};
/** What has to be there, and enabled, before a user can begin. */
const EMAIL = 'input[type=email]:enabled';
const FIRST_FILE = '[role=gridcell] a[href]';
/** Begins what a page logs once it can be used; the rest are the milliseconds since the navigation. */
const USABLE = 'usable after ';

/** Logs when an element is there and the page is ready for the next event after drawing it. */
const watch = (selector: string) => `
  const observer = new MutationObserver(() => {
    if (!document.querySelector(${JSON.stringify(selector)})) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => console.log(${JSON.stringify(USABLE)} + performance.now())));
  });
  observer.observe(document, { childList: true, subtree: true, attributes: true });`;

/**
 * C1: the time from a navigation until the console can be used, of the page of the sign-in and of the library, with an
 * empty cache and with the files of an earlier visit, on a slowed processor and network.
 */
export async function run({ rounds, stack: startStack, progress }: BenchContext): Promise<string[]> {
  const stack = await startStack();
  await fillLibrary(stack);
  const browser = await launch();
  try {
    const cookies = await signIn(browser, stack);
    const origin = new URL(stack.runInfo.api_url).origin;
    const signedOut = await contextOf(browser, origin, []);
    const returning = await contextOf(browser, origin, cookies);
    const first = async (path: string, selector: string, own: Cookies) => {
      const context = await contextOf(browser, origin, own);
      try {
        return await timeOf(context, path, selector);
      } finally {
        await context.close();
      }
    };
    const times = await interleave(
      rounds,
      {
        'sign-in, first visit': () => first('/sign-in', EMAIL, []),
        'sign-in, next visit': () => timeOf(signedOut, '/sign-in', EMAIL),
        'library, first visit': () => first('/', FIRST_FILE, cookies),
        'library, next visit': () => timeOf(returning, '/', FIRST_FILE),
      },
      progress,
    );
    return Object.entries(times).map(
      ([name, all]) => `C1 ${name}: usable after ${spread(all)} ms, ${goalResult(all, GOAL)}`,
    );
  } finally {
    await browser.close();
  }
}

type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>;

async function fillLibrary(stack: Stack): Promise<void> {
  const orm = createOrm(databaseConfig.parse(stack.env));
  try {
    const em = orm.em.fork();
    const { tenantId } = await resolveApiKey(em, stack.runInfo.api_key);
    await seedFiles(em, tenantId, FILES);
  } finally {
    await orm.close(true);
  }
}

async function launch(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'] ?? (await sparticuz.executablePath());
  if (!process.env['CHROMIUM_PATH']) chmodSync(executablePath, 0o755);
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
}

async function contextOf(browser: Browser, baseURL: string, cookies: Cookies): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL, viewport: { width: 1280, height: 800 } });
  await context.addCookies(cookies);
  return context;
}

async function signIn(browser: Browser, { runInfo }: Stack): Promise<Cookies> {
  const context = await contextOf(browser, new URL(runInfo.api_url).origin, []);
  const { email, password } = runInfo.tenants.enterprise;
  const response = await context.request.post(`${runInfo.api_url}/auth/login`, { data: { email, password } });
  if (!response.ok()) throw new Error(`signing in was answered with ${response.status()}`);
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}

async function timeOf(context: BrowserContext, path: string, selector: string): Promise<number> {
  const page = await context.newPage();
  try {
    await slowDown(page);
    await page.addInitScript(watch(selector));
    const usable = page.waitForEvent('console', (message) => message.text().startsWith(USABLE));
    await page.goto(path, { waitUntil: 'commit' });
    return Number((await usable).text().slice(USABLE.length));
  } finally {
    await page.close();
  }
}

async function slowDown(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', NETWORK);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
}
