import { chmodSync } from 'node:fs';
import sparticuz from '@sparticuz/chromium';
import { type Browser, type BrowserContext, type CDPSession, chromium } from 'playwright-core';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import type { Stack } from '../../dev/launcher/stack.ts';
import { resolveApiKey } from '../../services/accounts/api-key.ts';
import type { BenchContext } from './context.ts';
import { seedFiles } from './seed-files.ts';
import { goalResult, interleave, median, spread } from './statistics.ts';

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
const SCRIPTS = `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'))
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`;

/** Logs when an element is there and the page is ready for the next event after drawing it. */
const watch = (selector: string) => `
  const observer = new MutationObserver(() => {
    if (!document.querySelector(${JSON.stringify(selector)})) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => console.log(${JSON.stringify(USABLE)} + performance.now())));
  });
  observer.observe(document, { childList: true, subtree: true, attributes: true });`;

/** A visit until the page can be used. */
interface Visit {
  /** Milliseconds since the navigation. */
  usable: number;
  /** Milliseconds of processor time of the page. */
  busy: number;
  /** Kilobytes of scripts, as they were sent. */
  scripts: number;
}

/**
 * C1: the time from a navigation until the console can be used, of the page of the sign-in and of the library, with an
 * empty cache and with the files of an earlier visit, on a slowed processor and network; and what a first visit costs
 * where nothing is slowed, which fluctuates less.
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
    const first = async (path: string, selector: string, own: Cookies, slowed = true) => {
      const context = await contextOf(browser, origin, own);
      try {
        return await visit(context, path, selector, slowed);
      } finally {
        await context.close();
      }
    };
    const visits = await interleave(
      rounds,
      {
        'sign-in, first visit': () => first('/sign-in', EMAIL, []),
        'sign-in, next visit': () => visit(signedOut, '/sign-in', EMAIL),
        'library, first visit': () => first('/', FIRST_FILE, cookies),
        'library, next visit': () => visit(returning, '/', FIRST_FILE),
      },
      progress,
    );
    const costs = await interleave(
      rounds,
      {
        'sign-in': () => first('/sign-in', EMAIL, [], false),
        library: () => first('/', FIRST_FILE, cookies, false),
      },
      progress,
    );
    return [
      ...Object.entries(visits).map(([name, all]) => {
        const times = all.map(({ usable }) => usable);
        return `C1 ${name}: usable after ${spread(times)} ms, ${goalResult(times, GOAL)}`;
      }),
      ...Object.entries(costs).map(
        ([name, all]) =>
          `C1 ${name}, not slowed: ${spread(all.map(({ busy }) => busy))} ms of processor time, ` +
          `${median(all.map(({ scripts }) => scripts)).toFixed(0)} kB of scripts`,
      ),
    ];
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

async function visit(context: BrowserContext, path: string, selector: string, slowed = true): Promise<Visit> {
  const page = await context.newPage();
  try {
    const devtools = await context.newCDPSession(page);
    if (slowed) await slowDown(devtools);
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.addInitScript(watch(selector));
    const usable = page.waitForEvent('console', (message) => message.text().startsWith(USABLE));
    await page.goto(path, { waitUntil: 'commit' });
    const time = Number((await usable).text().slice(USABLE.length));
    const { metrics } = await devtools.send('Performance.getMetrics');
    return {
      usable: time,
      busy: 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN),
      scripts: (await page.evaluate<number>(SCRIPTS)) / 1000,
    };
  } finally {
    await page.close();
  }
}

async function slowDown(devtools: CDPSession): Promise<void> {
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', NETWORK);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
}
