import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { getEventListeners, once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import {
  DecoderClosed,
  DecoderCrashed,
  DecoderTimeout,
  ImageRefused,
} from '../../../engines/image-decoder/errors.ts';
import {
  createImageDecoder,
  type ImageDecoder,
  type ImageDecoderOptions,
} from '../../../engines/image-decoder/image-decoder.ts';
import { IMAGE_FORMATS } from '../../../domain/media.ts';
import { heic } from '../../support/heic.ts';
import { blackPng, quarters } from '../../support/sample-images.ts';

/** Of the process list. */
const TICK_MS = 10;
const FILE = 'file/123e4567-e89b-42d3-a456-426614174000';
const small = await quarters().jpeg().toBuffer();
/** Takes a few tenths of a second: 81 megapixels of 16 bits, in a few hundred KB. */
const slow = blackPng({ width: 9000, height: 9000, depth: 16 });

const opened: ImageDecoder[] = [];
after(() => Promise.all(opened.map((decoder) => decoder.close())));

function open(options: Partial<ImageDecoderOptions> = {}): ImageDecoder {
  const decoder = createImageDecoder({ slots: 1, ...options });
  opened.push(decoder);
  return decoder;
}

interface Process {
  pid: number;
  title: string;
}

/** The decoder processes of a parent, from the process list. */
function decoders(parent: number = process.pid): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const pid = Number(name);
      const title = read(pid, 'cmdline').replaceAll('\0', '');
      const ppid = Number(/^PPid:\s*(\d+)/m.exec(read(pid, 'status'))?.[1]);
      return ppid === parent && title.startsWith('darkroom-decoder') ? [{ pid, title }] : [];
    });
}

/** Empty for a process that has ended. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** Processor time of a process so far, in milliseconds; 0 for one that has ended. */
function cpuMs(pid: number): number {
  const [user = 0, system = 0] = read(pid, 'stat').split(') ')[1]?.split(' ').slice(11, 13).map(Number) ?? [];
  return (user + system) * TICK_MS;
}

/** Polls for a truthy result for up to a minute. */
async function eventually<T>(ask: () => T | undefined | false, what: string): Promise<T> {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    const answer = ask();
    if (answer) return answer;
    await sleep(5);
  }
  throw new Error(`Never happened: ${what}`);
}

function busyWith(label: string, parent?: number): Promise<Process> {
  return eventually(
    () => decoders(parent).find(({ title }) => title === `darkroom-decoder ${label}`),
    `a decoder busy with ${label}`,
  );
}

test('renders in a child process, which is reused', async () => {
  const decoder = open();
  const image = await decoder.render(small, { tenantId: 'one', label: FILE });
  assert.deepEqual([image.width, image.height, image.variants.length], [120, 80, 4]);
  const [first] = decoders();
  await decoder.render(small, { tenantId: 'one', label: FILE });
  assert.deepEqual(decoders(), [first]);
  await decoder.close();
  assert.deepEqual(decoders(), []);
});

test('a child opens every accepted format', async () => {
  const decoder = open();
  for (const format of IMAGE_FORMATS) {
    const original = format === 'heic' ? await heic() : await quarters().toFormat(format).toBuffer();
    const image = await decoder.render(original, { tenantId: 'one', label: FILE });
    assert.equal(image.format, format);
  }
  await decoder.close();
});

test('the process title names the file that is being decoded, and none when idle', async () => {
  const decoder = open();
  // Longer than the child's original command line, whose memory the title reuses.
  const label = `${FILE}/${'x'.repeat(80)}`;
  const rendering = decoder.render(slow, { tenantId: 'one', label });
  const { pid } = await busyWith(label);
  await rendering;
  assert.deepEqual(decoders(), [{ pid, title: 'darkroom-decoder idle' }]);
  await decoder.close();
});

test('a rejected image is reported as such and does not end its child', async () => {
  const decoder = open();
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
  const tooLarge = blackPng({ width: 16_000, height: 16_000 });
  const refused = (code: string) => (error: unknown) => error instanceof ImageRefused && error.code === code;
  await assert.rejects(decoder.render(svg, { tenantId: 'one', label: FILE }), refused('IMAGE_UNREADABLE'));
  const [child] = decoders();
  await assert.rejects(
    decoder.render(tooLarge, { tenantId: 'one', label: FILE }),
    refused('IMAGE_TOO_LARGE'),
  );
  await decoder.render(small, { tenantId: 'one', label: FILE });
  assert.deepEqual(decoders(), [child]);
  await decoder.close();
});

test('two concurrent images use two children, a third one waits', async () => {
  const decoder = open({ slots: 2 });
  const all = ['file/a', 'file/b', 'file/c'].map((label) => decoder.render(slow, { tenantId: 'one', label }));
  const both = Promise.all([busyWith('file/a'), busyWith('file/b')]);
  assert.equal(new Set((await both).map(({ pid }) => pid)).size, 2);
  assert.equal(decoders().length, 2);
  await Promise.all(all);
  assert.equal(decoders().length, 2);
  await decoder.close();
});

test('kill -9 of a busy child fails only its own image', async () => {
  const decoder = open({ slots: 2 });
  const doomed = decoder.render(slow, { tenantId: 'one', label: 'file/doomed' });
  const spared = decoder.render(slow, { tenantId: 'one', label: 'file/spared' });
  const waiting = decoder.render(small, { tenantId: 'one', label: 'file/waiting' });
  const { pid } = await busyWith('file/doomed');
  process.kill(pid, 'SIGKILL');
  await assert.rejects(
    doomed,
    (error) => error instanceof DecoderCrashed && error.signal === 'SIGKILL' && error.exitCode === null,
  );
  assert.equal((await spared).width, 9000);
  assert.equal((await waiting).width, 120);
  await decoder.close();
});

test('a child killed while idle is replaced transparently', async () => {
  const decoder = open();
  await decoder.render(small, { tenantId: 'one', label: FILE });
  const [idle] = decoders();
  assert.ok(idle);
  process.kill(idle.pid, 'SIGKILL');
  await eventually(() => read(idle.pid, 'status') === '', 'the killed child is reaped');
  assert.equal((await decoder.render(small, { tenantId: 'one', label: FILE })).width, 120);
  await decoder.close();
});

test('an abort kills the child, even if it hangs, and rejects with the reason', async () => {
  const decoder = open();
  const abort = new AbortController();
  const rendering = decoder.render(slow, { tenantId: 'one', label: FILE, signal: abort.signal });
  const { pid } = await busyWith(FILE);
  process.kill(pid, 'SIGSTOP');
  abort.abort(new Error('no longer wanted'));
  await assert.rejects(rendering, /no longer wanted/);
  assert.deepEqual(decoders(), []);
  assert.equal((await decoder.render(small, { tenantId: 'one', label: FILE })).width, 120);
  await decoder.close();
});

test('an abort before or during the wait starts nothing', async () => {
  const decoder = open();
  await assert.rejects(
    decoder.render(small, { tenantId: 'one', label: FILE, signal: AbortSignal.abort(new Error('too late')) }),
    /too late/,
  );
  assert.deepEqual(decoders(), []);
  const abort = new AbortController();
  const running = decoder.render(slow, { tenantId: 'one', label: FILE });
  const waiting = decoder.render(small, { tenantId: 'one', label: 'file/waiting', signal: abort.signal });
  abort.abort(new Error('no longer wanted'));
  await assert.rejects(waiting, /no longer wanted/);
  assert.equal((await running).width, 9000);
  await decoder.close();
});

test('the decoder of an image that takes too long is killed', async () => {
  let wallMs = 60_000;
  const decoder = open({ budget: () => ({ cpuMs: 60_000, wallMs }) });
  await decoder.render(small, { tenantId: 'one', label: FILE });
  wallMs = 1_000;
  const [child] = decoders();
  assert.ok(child);
  process.kill(child.pid, 'SIGSTOP');
  await assert.rejects(decoder.render(small, { tenantId: 'one', label: FILE }), DecoderTimeout);
  assert.deepEqual(decoders(), []);
  await decoder.close();
});

test('an image that takes too much memory is refused, and the next one is decoded', async () => {
  const decoder = open({ maxTaskBytes: 200 * 2 ** 20 });
  // Interlaced: the codec holds all of it.
  const wide = await sharp({ create: { width: 6000, height: 6000, channels: 4, background: '#345' } })
    .png({ progressive: true })
    .toBuffer();
  await assert.rejects(
    decoder.render(wide, { tenantId: 'one', label: FILE }),
    (error) => error instanceof ImageRefused && error.code === 'IMAGE_TOO_LARGE',
  );
  await decoder.render(small, { tenantId: 'one', label: FILE });
  await decoder.close();
});

test('a child is replaced after a number of images and when its memory stays high', async () => {
  for (const limits of [{ maxImages: 2 }, { maxRssBytes: 1 }]) {
    const decoder = open(limits);
    const pids = new Set<number>();
    for (let image = 0; image < 4; image++) {
      const rendering = decoder.render(small, { tenantId: 'one', label: FILE });
      const [child] = await eventually(() => decoders().length > 0 && decoders(), 'a decoder');
      if (child) pids.add(child.pid);
      await rendering;
    }
    assert.equal(pids.size, 'maxImages' in limits ? 2 : 4);
    await decoder.close();
    assert.deepEqual(decoders(), []);
  }
});

test('closing rejects running and waiting calls, leaves no process, and is idempotent', async () => {
  const decoder = open();
  const running = decoder.render(slow, { tenantId: 'one', label: FILE });
  const waiting = decoder.render(small, { tenantId: 'one', label: 'file/waiting' });
  const rejected = Promise.all([
    assert.rejects(running, DecoderClosed),
    assert.rejects(waiting, DecoderClosed),
  ]);
  await busyWith(FILE);
  await Promise.all([decoder.close(), decoder.close()]);
  assert.deepEqual(decoders(), []);
  await rejected;
  await decoder.close();
  await assert.rejects(decoder.render(small, { tenantId: 'one', label: FILE }), DecoderClosed);
});

test('a signal used for many images accumulates no listeners', async () => {
  const decoder = open();
  const { signal } = new AbortController();
  const broken = Buffer.from('no image');
  for (let image = 0; image < 3; image++)
    await decoder.render(small, { tenantId: 'one', label: FILE, signal });
  await assert.rejects(decoder.render(broken, { tenantId: 'one', label: FILE, signal }), ImageRefused);
  assert.deepEqual(getEventListeners(signal, 'abort'), []);
  await decoder.close();
});

test('a child inherits no environment and is the first victim of the OOM killer', async () => {
  const decoder = open();
  await decoder.render(small, { tenantId: 'one', label: FILE });
  const [child] = decoders();
  assert.ok(child);
  const names = read(child.pid, 'environ')
    .split('\0')
    .map((line) => line.split('=')[0]);
  assert.equal(names.includes('PATH'), false);
  await eventually(
    () => read(child.pid, 'oom_score_adj').trim() === '1000',
    'the decoder raises its OOM score',
  );
  await decoder.close();
});

test('when the parent is killed, a busy child dies immediately without finishing its image', async () => {
  const entry = import.meta.resolve('../../../engines/image-decoder/image-decoder.ts');
  const samples = import.meta.resolve('../../support/sample-images.ts');
  // Takes about a second to decode.
  const script = `
    import { createImageDecoder } from ${JSON.stringify(entry)};
    import { blackPng } from ${JSON.stringify(samples)};
    const long = blackPng({ width: 9999, height: 9999, depth: 16, channels: 3 });
    await createImageDecoder({ slots: 1 }).render(long, { tenantId: 'one', label: ${JSON.stringify(FILE)} });
  `;
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'inherit' });
  assert.ok(parent.pid);
  const { pid } = await busyWith(FILE, parent.pid);
  const ended = once(parent, 'exit');
  const before = cpuMs(pid);
  let last = before;
  parent.kill('SIGKILL');
  await ended;
  await eventually(() => {
    last = Math.max(last, cpuMs(pid));
    return !read(pid, 'cmdline').startsWith('darkroom-decoder');
  }, 'the orphan dies');
  assert.ok(last - before < 500, `it worked for ${last - before} ms more`);
});
