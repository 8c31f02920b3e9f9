/** What a taken-over child process is after. */
export interface Targets {
  /** A file in the project that resolves its packages. */
  resolveFrom: string;
  /** Files of others, which it may destroy. */
  files: readonly string[];
  /** A file that it must not be able to read either. */
  settings: string;
  /** A folder in which this user may write. */
  folder: string;
  /** A port and sockets of this machine on which others listen. */
  port: number;
  socket: string;
  abstractSocket: string;
}

/**
 * The source of a module that takes the place of a child's: it tries everything that a child must not do, and answers with
 * the names of what succeeded.
 *
 * @param isProgram whether it is a program of its own, which writes the answer to its standard error
 */
export function hostileModule(targets: Targets, isProgram = false): string {
  return `const attempt = ${attempt.toString()};
    const answer = async (request) => 'succeeded: ' + (await attempt(${JSON.stringify(targets)}, request)).join(', ');
    ${
      isProgram
        ? 'process.stderr.write(await answer() + "\\n", () => process.exit(1))'
        : `export const handle = async (request) => {
            const message = await answer(request);
            return { kind: request.task === 'parse' ? 'page' : 'failed', message, page: message };
          }`
    }`;
}

/** Runs in the child, so it may use nothing of this file. */
async function attempt(targets: Targets, request?: { label?: string }): Promise<string[]> {
  const [childProcess, fs, net, { createRequire }] = await Promise.all([
    import('node:child_process'),
    import('node:fs'),
    import('node:net'),
    import('node:module'),
  ]);
  const parent = process.ppid;
  const koffi = createRequire(targets.resolveFrom)('koffi') as {
    load(path: null): { func(definition: string): (...args: unknown[]) => number };
    errno(): number;
  };
  const syscall = koffi.load(null).func('long syscall(long, ...)');
  const column = process.arch === 'x64' ? 0 : 1;
  const succeeded: string[] = [];

  const tries = async (name: string, what: () => unknown): Promise<void> => {
    try {
      await what();
      succeeded.push(name);
    } catch {
      // As it should be.
    }
  };
  /** A call that the kernel looks at has succeeded, even if it then has no use for these arguments. */
  const calls = (name: string, numbers: [x64: number, arm64: number], ...args: unknown[]): Promise<void> =>
    tries(name, () => {
      const typed = args.flatMap((value) => [typeof value === 'number' ? 'long' : 'void *', value]);
      const result = syscall(numbers[column], ...typed);
      const [EPERM, EACCES, ENOSYS] = [1, 13, 38];
      if (result < 0 && [EPERM, EACCES, ENOSYS].includes(koffi.errno())) throw new Error(`refused: ${name}`);
      const isForked = name.startsWith('fork') && result === 0;
      if (isForked) syscall([231, 94][column], 'int', 0);
    });
  const connects = (options: object) => () =>
    new Promise((resolve, reject) => {
      net
        .connect(options as { path: string })
        .once('connect', resolve)
        .once('error', reject);
    });

  if (request?.label === 'x32') syscall(0x40000000 + 39);

  for (const path of [
    `/proc/${parent}/environ`,
    `/proc/${parent}/maps`,
    `/proc/${parent}/cmdline`,
    `/proc/self/environ`,
    '/etc/passwd',
    ...targets.files,
    targets.settings,
  ]) {
    await tries(`read ${path}`, () => fs.readFileSync(path));
  }
  await tries('list files', () => fs.readdirSync(targets.folder));
  await tries('write', () => fs.writeFileSync(`${targets.folder}/new`, 'x'));
  await tries('append', () => fs.appendFileSync(targets.files[0] ?? '', 'x'));
  await tries('truncate', () => fs.truncateSync(targets.files[0] ?? ''));
  await tries('make folder', () => fs.mkdirSync(`${targets.folder}/folder`));
  await tries('symlink', () => fs.symlinkSync('/', `${targets.folder}/symlink`));
  await tries('link', () => fs.linkSync(targets.files[0] ?? '', `${targets.folder}/link`));
  await tries('rename', () => fs.renameSync(targets.files[0] ?? '', `${targets.folder}/renamed`));
  await tries('remove', () => fs.unlinkSync(targets.files.at(-1) ?? ''));

  for (const program of ['/bin/sh', process.execPath]) {
    await tries(`run ${program}`, () => {
      const { error } = childProcess.spawnSync(program, ['-c', ':']);
      if (error) throw error;
    });
  }
  await calls('execve', [59, 221], Buffer.from('/bin/nothing\0'), null, null);
  await calls('execveat', [322, 281], -100, Buffer.from('/bin/nothing\0'), null, null, 0);
  await calls('execveat of a descriptor', [322, 281], 0, Buffer.from('\0'), null, null, 0x1000);
  await calls('memfd_create', [319, 279], Buffer.from('x\0'), 0);
  await calls('fork by clone', [56, 220], 17, null, null, null, null);
  await calls('fork by clone3', [435, 435], new BigUint64Array([0n, 0n, 0n, 0n, 17n, 0n, 0n, 0n]), 64);

  await tries('TCP', connects({ host: '127.0.0.1', port: targets.port }));
  await tries('TCP over IPv6', connects({ host: '::1', port: targets.port }));
  await tries('Unix socket', connects({ path: targets.socket }));
  await tries('abstract socket', connects({ path: `\0${targets.abstractSocket}` }));
  await tries('listen', () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    net.createServer().once('error', reject).listen(0, '127.0.0.1', resolve);
    return promise;
  });
  const [INET, UNIX, NETLINK, PACKET] = [2, 1, 16, 17];
  await calls('UDP', [41, 198], INET, 2, 0);
  await calls('raw socket', [41, 198], INET, 3, 1);
  await calls('MPTCP', [41, 198], INET, 1, 262);
  for (const family of [UNIX, NETLINK, PACKET]) await calls(`socket ${family}`, [41, 198], family, 2, 0);
  await calls('socketpair', [53, 199], UNIX, 1, 0, Buffer.alloc(8));
  const MSG_FASTOPEN = 0x20000000;
  await calls('sendto with fast open', [44, 206], 0, Buffer.alloc(1), 1, MSG_FASTOPEN, null, 0);
  await calls('sendmsg with fast open', [46, 211], 0, Buffer.alloc(64), MSG_FASTOPEN);

  await tries('signal', () => process.kill(parent, 0));
  await calls('tgkill', [234, 131], parent, parent, 0);
  await calls('tkill', [200, 130], parent, 0);
  await calls('rt_sigqueueinfo', [129, 138], parent, 0, Buffer.alloc(128));
  await calls('signal by a descriptor', [72, 25], 0, 8, parent);
  await calls('pidfd_open', [434, 434], parent, 0);
  await calls('pidfd_send_signal', [424, 424], 0, 0, null, 0);
  await calls('pidfd_getfd', [438, 438], 0, 0, 0);
  await calls('ptrace', [101, 117], 0x4206, parent, 0, 0);
  await calls('process_vm_readv', [310, 270], parent, null, 0, null, 0, 0);
  await calls('process_vm_writev', [311, 271], parent, null, 0, null, 0, 0);
  await calls('process_madvise', [440, 440], 0, null, 0, 0, 0);
  await calls('kcmp', [312, 272], parent, process.pid, 0, 0, 0);
  await calls('prlimit of the parent', [302, 261], parent, 7, null, null);
  await calls('setpriority', [141, 140], 0, parent, 0);
  await calls('io_uring_setup', [425, 425], 8, Buffer.alloc(120));
  await calls('unshare', [272, 97], 0x10000000);
  await calls('setns', [308, 268], 0, 0);
  await calls('mount', [165, 40], null, null, null, 0, null);
  await calls('open_tree', [428, 428], -100, null, 0);
  await calls('bpf', [321, 280], 0, null, 0);
  await calls('perf_event_open', [298, 241], null, 0, -1, -1, 0);
  await calls('userfaultfd', [323, 282], 1);
  await calls('keyctl', [250, 219], 0, -3, 0, 0, 0);
  await calls('add_key', [248, 217], null, null, null, 0, -3);
  await calls('personality', [135, 92], 0xffffffff);
  await calls('type into a terminal', [16, 29], 0, 0x5412, Buffer.alloc(1));
  const [NOFILE, FSIZE, CORE] = [7, 1, 4];
  const rlimit = new BigUint64Array(2);
  for (const [name, resource] of Object.entries({ files: FSIZE, dumps: CORE })) {
    syscall([302, 261][column], 'int', 0, 'int', resource, 'void *', null, 'void *', rlimit);
    if (rlimit[1] !== 0n) succeeded.push(`large ${name}`);
  }
  await tries('more descriptors', () => {
    const many = new BigUint64Array([256n, 256n]);
    const result = syscall([302, 261][column], 'int', 0, 'int', NOFILE, 'void *', many, 'void *', null);
    if (result < 0) throw new Error('refused');
  });
  return succeeded;
}
