// @ts-check
/**
 * `node launch.cjs PLAN`: gives up everything that the plan does not grant, then becomes the program of the plan. What a
 * thread gives up before `exec` holds for every thread of the program, and cannot be regained. Exits with 70 if a step
 * fails that the plan does not allow to be missing.
 *
 * JavaScript for `require`, since every child starts with it: stripping types takes as long as the rest.
 */
'use strict';
const { openSync, statSync, writeFileSync } = require('node:fs');
const { setPriority } = require('node:os');
const koffi = require('koffi');

const libc = koffi.load(null);
const syscall = libc.func('long syscall(long, ...)');
const prctl = libc.func('int prctl(int, long, void *, long, long)');
const setrlimit = libc.func('int setrlimit(int, void *)');
const dup3 = libc.func('int dup3(int, int, int)');
const fcntl = libc.func('int fcntl(int, int, int)');
const FILTER = koffi.struct({ length: 'uint16_t', code: 'void *' });

/** The system calls that have the same number on each architecture. */
const CAPSET = { x64: 126, arm64: 91 }[process.arch];
const EXECVEAT = { x64: 322, arm64: 281 }[process.arch];
const CLOSE_RANGE = 436;
const [CREATE_RULESET, ADD_RULE, RESTRICT_SELF] = [444, 445, 446];
const AUDIT_ARCH = { x64: 0xc000003e, arm64: 0xc00000b7 }[process.arch];

const O_CLOEXEC = 0o2000000;
const O_PATH = 0o10000000 | O_CLOEXEC;
const CLOSE_RANGE_CLOEXEC = 4;
const F_SETFD = 2;
const AT_EMPTY_PATH = 0x1000;
const [PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS] = [1, 22, 38];
const SIGKILL = 9;
const SECCOMP_MODE_FILTER = 2;
const CAPABILITY_VERSION_3 = 0x20080522;
const RLIMITS = { cpu: 0, fileBytes: 1, core: 4, descriptors: 7, addressSpaceBytes: 9 };

/** Rights of Landlock on files, by the version that introduced them. */
const [EXECUTE, WRITE_FILE, READ_FILE, READ_DIR] = [1n, 2n, 4n, 8n];
const FILE_RIGHTS = [0n, 13n, 14n, 15n, 15n, 16n];
const [BIND_AND_CONNECT, CONNECT, SIGNALS_AND_ABSTRACT_SOCKETS] = [3n, 2n, 3n];
const [FILES_SINCE, PORTS_SINCE, SIGNALS_SINCE] = [1, 4, 6];
const [PATH_RULE, PORT_RULE] = [1, 2];

/** @type {import('./plan.ts').Plan} */
const plan = JSON.parse(process.argv[2] ?? '');
/** What this system lacks. @type {string[]} */
const missing = [];

/** @param {string} part @param {number} result */
function need(part, result) {
  if (result >= 0) return result;
  const error = new Error(`${part}: error ${koffi.errno()}`);
  throw Object.assign(error, { part });
}

/**
 * @param {string} part as operators read it
 * @param {() => void} take
 */
function step(part, take) {
  if (plan.without.includes(part)) return;
  try {
    take();
  } catch (error) {
    if (!plan.check) throw error;
    missing.push(part);
  }
}

/** @param {number} resource @param {number} soft @param {number} hard */
function limit(resource, soft, hard = soft) {
  need('limits', setrlimit(resource, new BigUint64Array([BigInt(soft), BigInt(hard)])));
}

/** Only standard streams and the channel stay open; Node closes those as well when it becomes another program. */
function closeDescriptors() {
  syscall(CLOSE_RANGE, 'uint', 3, 'uint', 2 ** 32 - 1, 'uint', CLOSE_RANGE_CLOEXEC);
  for (const kept of [0, 1, 2, plan.channel]) {
    if (kept !== undefined) need('descriptors', fcntl(kept, F_SETFD, 0));
  }
}

function dropCapabilities() {
  const header = new Uint32Array([CAPABILITY_VERSION_3, 0]);
  need('capabilities', syscall(CAPSET, 'void *', header, 'void *', new Uint32Array(6)));
}

/** @returns the version of Landlock, 0 if there is none */
function landlockVersion() {
  return Math.max(0, syscall(CREATE_RULESET, 'void *', null, 'size_t', 0, 'uint', 1));
}

/** Files, ports and signals: as much as the kernel knows. */
function restrictAccess() {
  const version = landlockVersion();
  for (const [since, part] of /** @type {const} */ ([
    [FILES_SINCE, 'files'],
    [PORTS_SINCE, 'ports'],
    [SIGNALS_SINCE, 'signals'],
  ])) {
    if (version < since) step(part, () => need(part, -1));
  }
  if (version === 0) return;
  const files = (1n << (FILE_RIGHTS[version] ?? FILE_RIGHTS.at(-1) ?? 0n)) - 1n;
  const ports = version >= PORTS_SINCE ? [BIND_AND_CONNECT] : [];
  const signals = version >= SIGNALS_SINCE ? [SIGNALS_AND_ABSTRACT_SOCKETS] : [];
  const attributes = new BigUint64Array([files, ...ports, ...signals]);
  const size = attributes.byteLength;
  const rules = need('files', syscall(CREATE_RULESET, 'void *', attributes, 'size_t', size, 'uint', 0));
  const add = (/** @type {number} */ kind, /** @type {Buffer} */ rule) =>
    need('files', syscall(ADD_RULE, 'int', rules, 'int', kind, 'void *', rule, 'uint', 0));
  const allow = (/** @type {string} */ path, /** @type {bigint} */ rights) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat) return;
    const rule = Buffer.alloc(12);
    rule.writeBigUInt64LE(stat.isDirectory() ? rights : rights & ~READ_DIR);
    rule.writeInt32LE(openSync(path, O_PATH), 8);
    add(PATH_RULE, rule);
  };
  for (const path of plan.reads) allow(path, READ_FILE | READ_DIR);
  for (const path of plan.executes) allow(path, READ_FILE | EXECUTE);
  allow('/dev/null', READ_FILE | WRITE_FILE);
  if (version >= PORTS_SINCE && plan.port !== undefined) {
    const rule = Buffer.alloc(16);
    rule.writeBigUInt64LE(CONNECT);
    rule.writeBigUInt64LE(BigInt(plan.port), 8);
    add(PORT_RULE, rule);
  }
  need('files', syscall(RESTRICT_SELF, 'int', rules, 'uint', 0));
}

/** A program for the kernel that knows only the system calls of the plan: others do not exist (ENOSYS). */
function filterCalls() {
  const [LOAD, EQUAL, AT_LEAST, AND, RETURN] = [0x20, 0x15, 0x35, 0x54, 0x06];
  const [ALLOW, KILL, NOT_THERE] = [0x7fff0000, 0x80000000, 0x00050000 | 38];
  const [NUMBER, ARCHITECTURE, ARGUMENTS] = [0, 4, 16];
  const X32 = 0x40000000;
  /** @type {[code: number, yes: number, no: number, value: number][]} */
  const code = [
    [LOAD, 0, 0, ARCHITECTURE],
    [EQUAL, 1, 0, AUDIT_ARCH ?? 0],
    [RETURN, 0, 0, KILL],
    [LOAD, 0, 0, NUMBER],
    [AT_LEAST, 0, 1, X32],
    [RETURN, 0, 0, KILL],
  ];
  for (const { number, where = [] } of plan.calls) {
    const tests = where.flatMap(({ argument, mask = -1, equals }, index) => {
      // A mismatch skips the remaining tests and the return.
      const skipped = 3 * (where.length - index - 1) + 1;
      const value = equals === 'self' ? process.pid : equals;
      return /** @type {typeof code} */ ([
        [LOAD, 0, 0, ARGUMENTS + 8 * argument],
        [AND, 0, 0, mask >>> 0],
        [EQUAL, 0, skipped, value >>> 0],
      ]);
    });
    code.push([EQUAL, 0, tests.length + 1, number], ...tests, [RETURN, 0, 0, ALLOW]);
    // The tests have replaced the number.
    if (tests.length > 0) code.push([LOAD, 0, 0, NUMBER]);
  }
  code.push([RETURN, 0, 0, NOT_THERE]);
  const bytes = Buffer.alloc(8 * code.length);
  for (const [index, [operation, yes, no, value]] of code.entries()) {
    bytes.writeUInt16LE(operation, 8 * index);
    bytes.writeUInt8(yes, 8 * index + 2);
    bytes.writeUInt8(no, 8 * index + 3);
    bytes.writeUInt32LE(value, 8 * index + 4);
  }
  const filter = koffi.as({ length: code.length, code: bytes }, koffi.pointer(FILTER));
  need('system calls', prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filter, 0, 0));
}

/**
 * Becomes the program. The filter allows this call only for a descriptor with this number, which is closed by it, and
 * which the limit of descriptors does not let exist again. With an absolute path, Landlock lets only the program and its loader through.
 */
function become() {
  // OpenSSL in Node refuses to start beside a configuration that it may not read.
  const env = { ...process.env, OPENSSL_CONF: '/dev/null' };
  const variables = Object.entries(env).map((pair) => pair.join('='));
  const argv = [...plan.program, null];
  const types = /** @type {const} */ (['const char **', argv, 'const char **', [...variables, null]]);
  syscall(EXECVEAT, 'int', plan.programDescriptor, 'const char *', '', ...types, 'int', AT_EMPTY_PATH);
  need('start', -1);
}

try {
  // When memory runs out, Linux should kill this process, not a worker or the database.
  writeFileSync('/proc/self/oom_score_adj', '1000');
  if (plan.nice) setPriority(plan.nice);
  closeDescriptors();
  need('start', dup3(openSync(plan.program[0] ?? '', O_PATH), plan.programDescriptor, O_CLOEXEC));
  step('capabilities', dropCapabilities);
  need('privileges', prctl(PR_SET_NO_NEW_PRIVS, 1, null, 0, 0));
  // Also in the midst of a task, when it does not see that its channel is closed.
  need('end', prctl(PR_SET_PDEATHSIG, SIGKILL, null, 0, 0));
  restrictAccess();
  limit(RLIMITS.core, 0);
  if (plan.cpuSeconds !== undefined) {
    // The first gives a signal that can be told from that of a machine that is out of memory.
    const seconds = Math.ceil(plan.cpuSeconds);
    limit(RLIMITS.cpu, seconds, seconds + 5);
  }
  limit(RLIMITS.fileBytes, plan.fileBytes);
  limit(RLIMITS.descriptors, plan.programDescriptor);
  step('system calls', filterCalls);
  if (plan.check) writeFileSync(1, JSON.stringify(missing));
  if (plan.addressSpaceBytes !== undefined) limit(RLIMITS.addressSpaceBytes, plan.addressSpaceBytes);
  become();
} catch (error) {
  writeFileSync(2, `contain: ${error instanceof Error ? error.message : String(error)}\n`);
  process.reallyExit(plan.cannotStart);
}
