import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createFairSlots } from '../../engines/hosts/fair-slots.ts';
import { HostEnded } from '../../engines/hosts/host.ts';
import { createAddressGuard, type AddressGuard } from '../outbound/address-guard.ts';
import type { ResolveName } from '../outbound/guarded-agent.ts';
import type { ChromiumConfig } from './config.ts';
import type { DevTools } from './devtools-pipe.ts';
import { startForwardProxy } from './forward-proxy.ts';
import { createPageNames } from './page-names.ts';
import { runChromium } from './run-chromium.ts';

/** Takes screenshots of web pages. */
export interface Screenshots {
  /**
   * The upper left of a page, 1280 × 800 pixels, as JPEG.
   *
   * @throws ScreenshotFailed; BrowserBusy, retryable; the reason of the signal
   */
  take(url: string, call: { tenantId: string; signal: AbortSignal }): Promise<Buffer>;
}

/** The screenshot failed; the message is for users. A `cause` is an error of the browser itself, to be logged. */
export class ScreenshotFailed extends Error {
  override readonly name = 'ScreenshotFailed';
}

/** All browsers of this worker are busy; retryable within seconds. */
export class BrowserBusy extends Error {
  override readonly name = 'BrowserBusy';
  readonly retryAfterSeconds = LEAST_SECONDS + Math.random() * SPREAD_SECONDS;

  constructor() {
    super('the browsers were busy');
  }
}

export interface ScreenshotLimits {
  /** Measured from the start of the browser. */
  wallMs: number;
  cpuMs: number;
  /** Time for the page to load after navigation; then it is captured as it is. */
  loadMs: number;
}

const SIZE = { width: 1280, height: 800 };
const LIMITS: ScreenshotLimits = { wallMs: 60_000, cpuMs: 30_000, loadMs: 15_000 };
const TRAFFIC = { maxBytes: 50 * 2 ** 20, maxRequests: 500, maxConnections: 64 };
/** Pages still render for a while after the load event. */
const SETTLE_MS = 500;
const QUALITY = 85;
const MAX_BYTES = 8 * 2 ** 20;
/** Waiting pages hold activity slots that crawls need, so few may wait, and one per tenant. */
const MAX_WAITING = 4;
const WAIT_MS = 10_000;
const [LEAST_SECONDS, SPREAD_SECONDS] = [5, 10];
const PUBLIC = createAddressGuard([], { plainPublic: true });

/**
 * @param guard decides which addresses links may lead to
 * @returns undefined if no browser is configured
 */
export function createScreenshots(
  { CHROMIUM_PATH: path, CHROMIUM_SANDBOX, CHROMIUM_SLOTS }: ChromiumConfig,
  guard: AddressGuard,
  limits: ScreenshotLimits = LIMITS,
): Screenshots | undefined {
  if (path === undefined) return undefined;
  const slots = createFairSlots(CHROMIUM_SLOTS);
  const waiting = new Set<string>();
  const names = createPageNames();
  const { loadMs, ...budget } = limits;

  async function enter(tenantId: string, signal: AbortSignal): Promise<() => void> {
    if (waiting.has(tenantId) || waiting.size >= MAX_WAITING) throw new BrowserBusy();
    waiting.add(tenantId);
    try {
      return await slots.acquire(tenantId, AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)]));
    } catch {
      signal.throwIfAborted();
      throw new BrowserBusy();
    } finally {
      waiting.delete(tenantId);
    }
  }

  async function takeOne(url: string, signal: AbortSignal): Promise<Buffer> {
    const left = new AbortController();
    const resolve = names.forPage(AbortSignal.any([signal, left.signal]));
    const proxy = await startForwardProxy(await guardOf(url, guard, resolve), TRAFFIC, resolve);
    try {
      const sandbox = CHROMIUM_SANDBOX === 'on';
      const task = { path: path ?? '', sandbox, proxyUrl: proxy.url, budget, signal };
      return await runChromium(task, (devtools) => capture(devtools, url, loadMs));
    } finally {
      left.abort(new Error('the screenshot has ended'));
      await proxy.close();
    }
  }

  return {
    async take(url, { tenantId, signal }) {
      const leave = await enter(tenantId, signal);
      try {
        return await takeOne(url, signal);
      } catch (error) {
        signal.throwIfAborted();
        throw explained(error);
      } finally {
        leave();
      }
    },
  };
}

/**
 * The guard for everything that a page loads: a public page may load only from public addresses, so that its scripts
 * cannot reach the private networks that the operator allows for links.
 *
 * @param resolve must return the same addresses when the page is loaded
 */
export async function guardOf(
  url: string,
  allowed: AddressGuard,
  resolve: ResolveName,
): Promise<AddressGuard> {
  const host = (URL.parse(url)?.hostname ?? '').replace(/^\[(.*)\]$/, '$1');
  const isName = host !== '' && isIP(host) === 0;
  const found = isName ? await resolve(host).catch(() => []) : [{ address: host }];
  const isInside =
    found.length > 0 && found.every(({ address }) => isIP(address) !== 0 && PUBLIC.refuse(address, false));
  return isInside ? allowed : PUBLIC;
}

async function capture(devtools: DevTools, url: string, loadMs: number): Promise<Buffer> {
  // An off-the-record context: pages store nothing on disk.
  const { browserContextId } = await devtools.send('Target.createBrowserContext');
  await devtools.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId });
  const { targetId } = await devtools.send('Target.createTarget', { url: 'about:blank', browserContextId });
  const { sessionId } = await devtools.send('Target.attachToTarget', { targetId, flatten: true });
  const page = (method: string, params?: object) => devtools.send(method, params, String(sessionId));
  await page('Page.enable');
  await page('Emulation.setDeviceMetricsOverride', { ...SIZE, deviceScaleFactor: 1, mobile: false });
  const loaded = new Promise<void>((resolve) => devtools.on('Page.loadEventFired', () => resolve()));
  // An open dialog would block the page.
  devtools.on('Page.javascriptDialogOpening', () => {
    page('Page.handleJavaScriptDialog', { accept: false }).catch(() => undefined);
  });
  const { errorText } = await page('Page.navigate', { url });
  if (errorText !== undefined) throw cannotShow(errorText);
  await Promise.race([loaded, sleep(loadMs, undefined, { ref: false })]);
  await sleep(SETTLE_MS);
  // A script may have navigated elsewhere.
  const { frameTree } = (await page('Page.getFrameTree')) as {
    frameTree?: { frame?: { unreachableUrl?: string } };
  };
  if (frameTree?.frame?.unreachableUrl !== undefined)
    throw cannotShow('it redirects to a page that cannot be opened');
  const { data } = await page('Page.captureScreenshot', { format: 'jpeg', quality: QUALITY });
  const bytes = Buffer.from(String(data), 'base64');
  if (bytes.length > MAX_BYTES || bytes.readUIntBE(0, 3) !== JPEG_MAGIC)
    throw cannotShow('the screenshot is not a JPEG of an acceptable size');
  return bytes;
}

const JPEG_MAGIC = 0xff_d8_ff;

function cannotShow(reason: unknown): ScreenshotFailed {
  const code = /ERR_\w+/.exec(String(reason))?.[0];
  return new ScreenshotFailed(`the browser cannot show the page: ${code ?? String(reason)}`);
}

/** Maps every failure of the browser to ScreenshotFailed. */
function explained(error: unknown): ScreenshotFailed {
  if (error instanceof ScreenshotFailed) return error;
  if (!(error instanceof HostEnded)) return new ScreenshotFailed('the browser failed', { cause: error });
  return new ScreenshotFailed(
    `the page takes ${error.why === 'memory' ? 'too much memory' : 'too long'} to be shown`,
  );
}
