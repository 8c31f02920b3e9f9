import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, afterEach } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Orm } from '../../db/create-orm.ts';
import { eventually, type RunInfo } from './api.ts';
import { findChromium } from './chromium.ts';
import { type LoggedIn, logIn, type LoginOptions } from './login.ts';

/** Screen sizes of the journeys. */
export const SCREENS = {
  desk: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
} as const;
export type Screen = keyof typeof SCREENS;

/** The wait for anything on a page, on a busy machine. */
const PATIENCE_MS = 45_000;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** WCAG 2.2 AA, and what axe recommends beyond it. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

const NAME_OF_FOCUSED = `(({ activeElement: element }) =>
  element.getAttribute('aria-label') || element.labels?.[0]?.textContent || (element === document.body ? '' : element.textContent)
)(document)`;

/** A browser that opens the console of a stack. */
export interface ConsoleBrowser {
  /** A page in a context of its own, with cookies of its own. */
  open(options?: {
    screen?: Screen;
    cookie?: string;
    theme?: 'light' | 'dark';
    /** What `navigator.language` says, whether or not it is a language. */
    language?: string;
  }): Promise<Page>;
  /** A page of a new user, at a path. */
  signedIn(
    orm: Orm,
    options?: LoginOptions & { screen?: Screen; path?: string; theme?: 'light' | 'dark'; language?: string },
  ): Promise<{ page: Page; user: LoggedIn }>;
}

/**
 * A browser for the tests of a file, started by the first of them; its pages obey the policies of the server, and its clock
 * and language are fixed. Pages are closed after their test, since an open one follows its files. Errors of pages, breaches
 * of their policy and foreign requests are failures of the test.
 */
export function openConsole(run: RunInfo): ConsoleBrowser {
  const { origin, hostname } = new URL(run.api_url);
  const faults: string[] = [];
  let browser: Promise<Browser> | undefined;

  afterEach(async () => {
    for (const context of (await browser)?.contexts() ?? []) await context.close();
    assert.deepEqual(faults.splice(0), []);
  });
  after(async () => (await browser)?.close());

  async function open({
    screen = 'desk',
    cookie,
    theme = 'light',
    language,
  }: Parameters<ConsoleBrowser['open']>[0] = {}) {
    const context = await (
      await (browser ??= launch())
    ).newContext({
      ...SCREENS[screen],
      baseURL: origin,
      colorScheme: theme,
      locale: 'en-GB',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    context.setDefaultTimeout(PATIENCE_MS);
    if (cookie) {
      const [name = '', value = ''] = cookie.split('=');
      await context.addCookies([{ name, value, url: origin, httpOnly: true }]);
    }
    if (language !== undefined) {
      const value = JSON.stringify(language);
      await context.addInitScript(`for (const [name, value] of [['language', ${value}], ['languages', [${value}]]])
        Object.defineProperty(Navigator.prototype, name, { get: () => value, configurable: true });`);
    }
    const page = await context.newPage();
    page.on('pageerror', ({ message }) => faults.push(`${page.url()}: ${message}`));
    page.on('console', (message) => {
      if (/Content Security Policy|Error in route|React/.test(message.text())) faults.push(message.text());
    });
    page.on('request', (request) => {
      const url = new URL(request.url());
      // The store is at another port of the same host.
      if (/^https?:$/.test(url.protocol) && url.hostname !== hostname) faults.push(`request to ${url.host}`);
    });
    return page;
  }

  return {
    open,
    async signedIn(orm, { screen = 'desk', path = '/', theme = 'light', language, ...options } = {}) {
      const user = await logIn(orm, run, options);
      const page = await open({
        screen,
        theme,
        cookie: user.cookie,
        ...(language !== undefined && { language }),
      });
      await page.goto(path);
      return { page, user };
    },
  };
}

async function launch(): Promise<Browser> {
  const { executablePath } = await findChromium();
  // Not the arguments of the package, which switch the web's security off.
  const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];
  return chromium.launch({ executablePath, args });
}

/**
 * Asserts that axe finds nothing on the page as it is shown, and that the page does not scroll sideways. What is still
 * moving, such as a notice that fades in, gets a moment.
 */
export async function assertAccessible(page: Page): Promise<void> {
  await page.evaluate(AXE);
  await eventually(() => assertAccessibleNow(page), PATIENCE_MS / 1000);
}

async function assertAccessibleNow(page: Page): Promise<void> {
  const violations = await page.evaluate<string[]>(`axe
    .run(document, { runOnly: ${JSON.stringify(RULES)} })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))`);
  assert.deepEqual(violations, [], page.url());
  // A phone widens its layout instead of scrolling.
  const [shown, wanted] = await page.evaluate<[number, number]>(
    '[Math.max(innerWidth, document.documentElement.scrollWidth), document.documentElement.clientWidth]',
  );
  assert.ok(shown <= wanted, `${page.url()} is ${shown} pixels wide on a screen of ${wanted}`);
}

/** Presses Tab until an element with this accessible name has the focus, as a user without a mouse does. */
export async function tabTo(page: Page, name: string | RegExp, most = 60): Promise<void> {
  for (let presses = 0; presses < most; presses += 1) {
    await page.keyboard.press('Tab');
    // Beyond the last element nothing has the focus, before it starts again.
    const label = await page.evaluate<string>(NAME_OF_FOCUSED);
    if (typeof name === 'string' ? label.trim() === name : name.test(label)) return;
  }
  assert.fail(`Tab does not reach ${name}`);
}

/** Waits until one box over a picture is filled: that of this element, finding or value. */
export async function assertHighlighted(page: Page, id: string): Promise<void> {
  await eventually(async () => {
    const highlighted = await page.evaluate<string[]>(`[...document.querySelectorAll('[data-box]')]
      .filter((box) => getComputedStyle(box).backgroundColor !== 'rgba(0, 0, 0, 0)')
      .map((box) => box.dataset.box)`);
    assert.deepEqual(highlighted, [id]);
  }, PATIENCE_MS / 1000);
}
