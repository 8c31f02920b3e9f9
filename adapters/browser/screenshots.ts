import { setTimeout as sleep } from 'node:timers/promises';
import { HostEnded } from '../hosts/host.ts';
import type { AddressGuard } from '../outbound/address-guard.ts';
import { createSemaphore } from '../semaphore.ts';
import type { ChromiumConfig } from './config.ts';
import type { DevTools } from './devtools-pipe.ts';
import { startForwardProxy } from './forward-proxy.ts';
import { ChromiumGone, runChromium } from './run-chromium.ts';

/** Takes pictures of pages as a visitor sees them. */
export interface Screenshots {
  /**
   * The upper left of a page, 1280 × 800 pixels, as JPEG.
   *
   * @throws ScreenshotFailed; BrowserBusy, to be tried again; the reason of the signal
   */
  take(url: string, signal: AbortSignal): Promise<Buffer>;
}

/** There is no screenshot of this page; the message is for people. */
export class ScreenshotFailed extends Error {
  override readonly name = 'ScreenshotFailed';
}

/** All browsers of this worker are busy: to be tried again in seconds. */
export class BrowserBusy extends Error {
  override readonly name = 'BrowserBusy';
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super('screenshots of other pages are being taken');
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export interface ScreenshotLimits {
  /** From the start of the browser. */
  wallMs: number;
  cpuMs: number;
  /** For the page to load, after its first bytes; what is there then is shown. */
  loadMs: number;
}

const SIZE = { width: 1280, height: 800 };
const LIMITS: ScreenshotLimits = { wallMs: 60_000, cpuMs: 30_000, loadMs: 15_000 };
const TRAFFIC = { maxBytes: 50 * 2 ** 20, maxRequests: 500, maxConnections: 64 };
/** Pages draw a while after they have loaded. */
const SETTLE_MS = 500;
const QUALITY = 85;
const MAX_BYTES = 8 * 2 ** 20;
/** One that waits holds a slot of the worker, which crawls need. */
const WAIT_MS = 1_000;
const [LEAST_SECONDS, SPREAD_SECONDS] = [2, 6];

/** @returns undefined where no browser is configured */
export function createScreenshots(
  { CHROMIUM_PATH: path, CHROMIUM_SANDBOX, CHROMIUM_SLOTS }: ChromiumConfig,
  guard: AddressGuard,
  limits: ScreenshotLimits = LIMITS,
): Screenshots | undefined {
  if (path === undefined) return undefined;
  const slots = createSemaphore(CHROMIUM_SLOTS);
  const { loadMs, ...budget } = limits;

  async function takeOne(url: string, signal: AbortSignal): Promise<Buffer> {
    const proxy = await startForwardProxy(guard, TRAFFIC);
    try {
      const task = {
        path: path ?? '',
        sandbox: CHROMIUM_SANDBOX === 'on',
        proxyUrl: proxy.url,
        budget,
        signal,
      };
      return await runChromium(task, (devtools) => capture(devtools, url, loadMs));
    } catch (error) {
      signal.throwIfAborted();
      throw explained(error);
    } finally {
      await proxy.close();
    }
  }

  return {
    async take(url, signal) {
      await slots.acquire(AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)])).catch(() => {
        signal.throwIfAborted();
        throw new BrowserBusy(LEAST_SECONDS + Math.random() * SPREAD_SECONDS);
      });
      try {
        return await takeOne(url, signal);
      } finally {
        slots.release();
      }
    },
  };
}

async function capture(devtools: DevTools, url: string, loadMs: number): Promise<Buffer> {
  const { targetId } = await devtools.send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await devtools.send('Target.attachToTarget', { targetId, flatten: true });
  const page = (method: string, params?: object) => devtools.send(method, params, String(sessionId));
  await page('Page.enable');
  await page('Emulation.setDeviceMetricsOverride', { ...SIZE, deviceScaleFactor: 1, mobile: false });
  const loaded = new Promise<void>((resolve) => devtools.on('Page.loadEventFired', () => resolve()));
  // The page waits for the answer, and has none to wait for.
  devtools.on('Page.javascriptDialogOpening', () => {
    page('Page.handleJavaScriptDialog', { accept: false }).catch(() => undefined);
  });
  const { errorText } = await page('Page.navigate', { url });
  if (errorText !== undefined) throw cannotShow(errorText);
  await Promise.race([loaded, sleep(loadMs, undefined, { ref: false })]);
  await sleep(SETTLE_MS);
  // It may have gone elsewhere by itself.
  const { frameTree } = (await page('Page.getFrameTree')) as {
    frameTree?: { frame?: { unreachableUrl?: string } };
  };
  if (frameTree?.frame?.unreachableUrl !== undefined)
    throw cannotShow('it leads to a page that cannot be opened');
  const { data } = await page('Page.captureScreenshot', { format: 'jpeg', quality: QUALITY });
  const bytes = Buffer.from(String(data), 'base64');
  if (bytes.length > MAX_BYTES || bytes.readUIntBE(0, 3) !== JPEG_MAGIC)
    throw cannotShow('its picture is none');
  return bytes;
}

const JPEG_MAGIC = 0xff_d8_ff;

function cannotShow(reason: unknown): ScreenshotFailed {
  const code = /ERR_\w+/.exec(String(reason))?.[0];
  return new ScreenshotFailed(`the browser cannot show the page: ${code ?? String(reason)}`);
}

/** Whatever happens to the browser is a screenshot that failed. */
function explained(error: unknown): ScreenshotFailed {
  if (error instanceof ScreenshotFailed) return error;
  if (error instanceof HostEnded) {
    const what = error.why === 'memory' ? 'too much memory' : 'too long';
    return new ScreenshotFailed(`the page takes ${what} to be shown`, { cause: error });
  }
  const message = error instanceof ChromiumGone ? error.message : 'the browser failed';
  return new ScreenshotFailed(message, { cause: error });
}
