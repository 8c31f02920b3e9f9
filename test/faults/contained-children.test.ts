import assert from 'node:assert/strict';
import childProcess from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createDocumentReader } from '../../engines/document-reader/create-document-reader.ts';
import { containmentHere } from '../../engines/hosts/containment/plan.ts';
import { startProcess } from '../../engines/hosts/host.ts';
import { createProcessPool } from '../../engines/hosts/process-pool.ts';
import { createImageDecoder } from '../../engines/image-decoder/image-decoder.ts';
import { FfmpegMissing } from '../../engines/video-reader/errors.ts';
import { createVideoReader, type VideoSource } from '../../engines/video-reader/video-reader.ts';
import { createPageParser } from '../../engines/page-parser/page-parser.ts';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import { eventually } from '../support/api.ts';
import { hostileModule, type Targets } from '../support/hostile-child.ts';

const { level, detail } = containmentHere();
const skip = level !== 'full' && `children cannot be contained here: ${detail}`;
const signal = AbortSignal.timeout(120_000);

const folder = mkdtempSync(join(tmpdir(), 'darkroom-hostile-'));
const files = ['secrets.json', 'document-of-another-tenant'].map((name) => join(folder, name));
const socket = join(folder, 'socket');
const abstractSocket = `darkroom-hostile-${process.pid}`;
const servers = await Promise.all(
  [{ port: 0, host: '127.0.0.1' }, { path: socket }, { path: `\0${abstractSocket}` }].map(async (at) => {
    const server = createServer((connection) => connection.end()).listen(at);
    await once(server, 'listening');
    return server;
  }),
);
const targets: Targets = {
  resolveFrom: join(PROJECT_ROOT, 'engines', 'hosts', 'host.ts'),
  files,
  // Beside it are settings and data: the folder of the project as a whole is not readable.
  settings: join(PROJECT_ROOT, 'package-lock.json'),
  folder,
  port: (servers[0]?.address() as AddressInfo | undefined)?.port ?? 0,
  socket,
  abstractSocket,
};

/** Starts hostile programs in the place of the product's, with the rights that the product gives them. */
const { spawn } = childProcess;
const hostile = `data:text/javascript,${encodeURIComponent(hostileModule(targets))}`;
let hostileFfmpeg = hostileModule(targets, true);
const started: string[] = [];
childProcess.spawn = ((command: string, args: string[], options: object) => {
  const [launcher = '', json] = args;
  if (!launcher.endsWith('launch.cjs'))
    throw new Error(`started without containment: ${command} ${args.join(' ')}`);
  const plan = JSON.parse(json ?? '') as { program: string[]; reads: string[] };
  const module = plan.program.findIndex((argument) => argument.endsWith('-process.ts'));
  started.push(module < 0 ? 'ffmpeg' : (plan.program[module] ?? ''));
  if (module >= 0) plan.program[module] = hostile;
  else {
    plan.program = [process.execPath, '--input-type=module', '--eval', hostileFfmpeg];
    // The library with which it makes system calls.
    plan.reads.push(join(PROJECT_ROOT, 'node_modules'), join(PROJECT_ROOT, 'package.json'));
  }
  return spawn(command, [launcher, JSON.stringify(plan)], options);
}) as typeof spawn;
syncBuiltinESMExports();

after(() => {
  childProcess.spawn = spawn;
  syncBuiltinESMExports();
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What succeeded, as the product reports it. */
async function outcomeOf(work: Promise<unknown>): Promise<string> {
  const said = await work.then(String, (error: Error) => error.message);
  const [, outcome] = /succeeded: ?(.*)/.exec(said) ?? [];
  assert.notEqual(outcome, undefined, said);
  return outcome ?? '';
}

function restore(): void {
  for (const path of files) writeFileSync(path, 'secret');
}
restore();

const video: VideoSource = {
  tenantId: 'one',
  format: 'mp4',
  sizeBytes: 10,
  read: () => Promise.resolve(new Uint8Array(10)),
};

function scan(): Promise<unknown> {
  const reader = createVideoReader({ slots: 1, findFfmpeg: () => Promise.resolve(process.execPath) });
  const shown = { width: 10, height: 10, durationSeconds: 1, track: 0, fromSeconds: 0 };
  return reader.scan(video, shown, () => undefined, signal).finally(() => void reader.close());
}

for (const [kind, work] of Object.entries({
  'an image decoder': async () => {
    const decoder = createImageDecoder({ slots: 1 });
    const image = { tenantId: 'one', label: 'x' };
    return decoder.margins(new Uint8Array(1), image).finally(() => void decoder.close());
  },
  'a document reader': async () => {
    const reader = createDocumentReader({ createPool: createProcessPool, slots: 1 });
    const source = { path: files[1] ?? '', type: 'txt' as const, tenantId: 'one' };
    return reader.inspect(source, signal).finally(() => void reader.close());
  },
  'a page parser': async () => {
    const parser = createPageParser({ slots: 1 });
    const page = { bytes: new Uint8Array(1), contentType: undefined, url: 'https://example.com' };
    return parser.parse(page, { tenantId: 'one', signal }).finally(() => void parser.close());
  },
  'a video probe': async () => {
    const reader = createVideoReader({ slots: 1, findFfmpeg: () => Promise.resolve(process.execPath) });
    return reader.probe(video, signal).finally(() => void reader.close());
  },
  ffmpeg: scan,
})) {
  test(`${kind} that was taken over gains nothing`, { skip }, async () => {
    restore();
    started.length = 0;
    assert.equal(await outcomeOf(work()), '');
    assert.equal(started.length, 1);
  });
}

test(
  'ffmpeg cannot claim that it was not started, which would be tried again forever',
  { skip },
  async () => {
    hostileFfmpeg = `console.error('contain: no such file'); process.exit(1);`;
    const failure = await scan().catch((error: unknown) => error);
    assert.ok(!(failure instanceof FfmpegMissing), String(failure));
  },
);

test(
  'an old kind of system call kills a child',
  { skip: skip || (process.arch !== 'x64' && 'x64 only') },
  async () => {
    const decoder = createImageDecoder({ slots: 1 });
    const work = decoder.margins(new Uint8Array(1), { tenantId: 'one', label: 'x32' });
    await assert.rejects(work, { name: 'DecoderCrashed', signal: 'SIGSYS' });
    await decoder.close();
  },
);

test('the same attempts succeed in a process that is not contained', { skip }, async () => {
  restore();
  childProcess.spawn = spawn;
  syncBuiltinESMExports();
  const host = startProcess({ module: new URL(hostile), stderr: 'inherit' });
  const reply = Promise.withResolvers<{ message: string }>();
  host.onMessage((message) => reply.resolve(message as { message: string }));
  host.setBusy(true);
  host.post({});
  const { message } = await reply.promise;
  await host.kill();
  for (const name of [
    `read ${files[0]}`,
    `read /proc/${process.pid}/environ`,
    'write',
    'run /bin/sh',
    'execve',
    'fork by clone3',
    'TCP',
    'Unix socket',
    'abstract socket',
    'listen',
    'UDP',
    'signal',
    'ptrace',
    'process_vm_readv',
    'prlimit of the parent',
    'unshare',
    'large files',
    'more descriptors',
  ]) {
    assert.ok(message.split(/[:,] /).includes(name), `${name} in ${message}`);
  }
});

test('a contained child ends with its parent, even in the midst of a task', { skip }, async () => {
  restore();
  const busy = 'data:text/javascript,export const handle = () => { for (;;); }';
  const host = join(PROJECT_ROOT, 'engines', 'hosts', 'host.ts');
  const program = `const { startProcess } = await import(${JSON.stringify(host)});
    const host = startProcess({ module: new URL(${JSON.stringify(busy)}), stderr: 'ignore', contained: {} });
    host.setBusy(true);
    host.post({});
    const isBusy = async () => ((await host.use())?.cpuMs ?? 0) > 1_500;
    while (!(await isBusy())) await new Promise((resolve) => setTimeout(resolve, 50));
    console.log('busy');`;
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', program]);
  await once(parent.stdout, 'data');
  const [child] = readFileSync(`/proc/${parent.pid}/task/${parent.pid}/children`, 'utf8').split(' ');
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  const stat = `/proc/${child}/stat`;
  // Its new parent may be slow to notice its end.
  await eventually(async () => assert.ok(!existsSync(stat) || / Z /.test(readFileSync(stat, 'utf8'))));
});

const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
/** A clone below the home directory of root, for example, cannot be read by others. */
const isReadable =
  childProcess.spawnSync(process.execPath, ['--eval', ''], { ...nobody, cwd: '/' }).status === 0;

test(
  'other processes of the same user cannot read the environment of a process that hides it',
  {
    skip:
      (process.platform !== 'linux' && 'Linux only') || (!isReadable && 'needs a folder that all can read'),
  },
  async () => {
    const module = join(PROJECT_ROOT, 'engines', 'hosts', 'containment', 'hide-memory.ts');
    const options = { ...nobody, env: { KEY: 'secret' }, cwd: '/' } as const;
    const program = `const { hideMemory } = await import(${JSON.stringify(module)});
      await hideMemory(); console.log('hidden'); setTimeout(() => undefined, 60_000);`;
    const holder = spawn(process.execPath, ['--input-type=module', '--eval', program], options);
    await once(holder.stdout, 'data');
    const read = `console.log(require('fs').readFileSync('/proc/${holder.pid}/environ', 'utf8'))`;
    const { stdout, stderr } = childProcess.spawnSync(process.execPath, ['--eval', read], {
      ...options,
      encoding: 'utf8',
    });
    holder.kill('SIGKILL');
    assert.match(stderr, /EACCES/);
    assert.doesNotMatch(stdout, /secret/);
  },
);
