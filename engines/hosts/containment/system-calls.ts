/** A system call that a contained process may make, if its arguments match. */
export interface AllowedCall {
  number: number;
  where?: readonly Condition[];
}

/** Compares the lower 32 bits of an argument; `self` is the id of the process. */
interface Condition {
  argument: number;
  mask?: number;
  equals: number | 'self';
}

/** What Node, libvips and ffmpeg use, with the numbers on x64 and arm64: files, memory, threads, time, own signals. */
const ALWAYS = `
  read 0 63  write 1 64  readv 19 65  writev 20 66  pread64 17 67  pwrite64 18 68  preadv 295 69  pwritev 296 70
  close 3 57  close_range 436 436  dup 32 23  dup2 33 -  dup3 292 24  pipe2 293 59  lseek 8 62  fsync 74 82
  ftruncate 77 46  stat 4 -  lstat 6 -  fstat 5 80  newfstatat 262 79  statx 332 291
  access 21 -  faccessat 269 48  faccessat2 439 439  readlink 89 -  readlinkat 267 78  getdents64 217 61
  getcwd 79 17  statfs 137 43  fstatfs 138 44  fadvise64 221 223  mmap 9 222  munmap 11 215  mprotect 10 226
  mremap 25 216  madvise 28 233  msync 26 227  mincore 27 232  brk 12 214  membarrier 324 283  pkey_alloc 330 289
  pkey_free 331 290  pkey_mprotect 329 288  rt_sigaction 13 134  rt_sigprocmask 14 135  rt_sigreturn 15 139
  rt_sigpending 127 136  rt_sigtimedwait 128 137  sigaltstack 131 132  restart_syscall 219 128  pause 34 -
  futex 202 98  set_robust_list 273 99  get_robust_list 274 100  set_tid_address 218 96  rseq 334 293  exit 60 93
  exit_group 231 94  getpid 39 172  getppid 110 173  gettid 186 178  getuid 102 174  geteuid 107 175  getgid 104 176
  getegid 108 177  getresuid 118 148  getresgid 120 150  getgroups 115 158  getpgid 121 155  getsid 124 156
  capget 125 90  getrlimit 97 163  getrusage 98 165  sysinfo 99 179  uname 63 160  times 100 153  getcpu 309 168
  getrandom 318 278  prctl 157 167  arch_prctl 158 -  getpriority 140 141  sched_yield 24 124
  sched_getaffinity 204 123  sched_getparam 143 121  sched_getscheduler 145 120  sched_get_priority_max 146 125
  sched_get_priority_min 147 126  time 201 -  gettimeofday 96 169  clock_gettime 228 113  clock_getres 229 114
  clock_nanosleep 230 115  nanosleep 35 101  setitimer 38 103  getitimer 36 102  timerfd_create 283 85
  timerfd_settime 286 86  timerfd_gettime 287 87  epoll_create 213 -  epoll_create1 291 20  epoll_ctl 233 21
  epoll_wait 232 -  epoll_pwait 281 22  epoll_pwait2 441 441  eventfd 284 -  eventfd2 290 19  poll 7 -  ppoll 271 73
  select 23 -  pselect6 270 72  recvfrom 45 207  recvmsg 47 212  shutdown 48 210  getsockname 51 204
  getpeername 52 205  getsockopt 55 209  setsockopt 54 208
`;

/** Truncates a file that may only be read, which Landlock sees since its version 3 (Linux 6.2). */
const O_TRUNC = 0o1000;
const [CLONE_THREAD, CLONE_NEW_ANYTHING] = [0x10000, 0x7e020080];
/** The only flag of execveat in the launcher. */
const AT_EMPTY_PATH = 0x1000;
/** Connects without `connect`, which Landlock does not see. */
const MSG_FASTOPEN = 0x20000000;
/** Duplicating descriptors and their flags: not whom a descriptor signals. */
const FCNTL = { F_DUPFD: 0, F_GETFD: 1, F_SETFD: 2, F_GETFL: 3, F_SETFL: 4, F_DUPFD_CLOEXEC: 1030 };
/** Not TIOCSTI, which types into a terminal. */
const IOCTL = {
  TCGETS: 0x5401,
  TIOCGWINSZ: 0x5413,
  FIONREAD: 0x541b,
  FIONBIO: 0x5421,
  FIONCLEX: 0x5450,
  FIOCLEX: 0x5451,
};

/** Calls that depend on their arguments, one of the lines each. */
const SOMETIMES: [name: string, x64: number, arm64: number | undefined, ...where: Condition[]][] = [
  // Threads alone. glibc takes `clone` where `clone3`, whose flags a filter cannot see, does not exist.
  ['clone', 56, 220, { argument: 0, mask: CLONE_THREAD | CLONE_NEW_ANYTHING, equals: CLONE_THREAD }],
  ['open', 2, undefined, { argument: 1, mask: O_TRUNC, equals: 0 }],
  ['openat', 257, 56, { argument: 2, mask: O_TRUNC, equals: 0 }],
  ['kill', 62, 129, { argument: 0, equals: 'self' }],
  ['tgkill', 234, 131, { argument: 0, equals: 'self' }],
  ['prlimit64', 302, 261, { argument: 0, equals: 0 }],
  ['sendto', 44, 206, { argument: 3, mask: MSG_FASTOPEN, equals: 0 }],
  ['sendmsg', 46, 211, { argument: 2, mask: MSG_FASTOPEN, equals: 0 }],
  ...Object.values(FCNTL).map((equals): (typeof SOMETIMES)[number] => [
    'fcntl',
    72,
    25,
    { argument: 1, equals },
  ]),
  ...Object.values(IOCTL).map((equals): (typeof SOMETIMES)[number] => [
    'ioctl',
    16,
    29,
    { argument: 1, equals },
  ]),
];

const [AF_INET, SOCK_STREAM, IPPROTO_TCP] = [2, 1, 6];
/** For a client over TCP. Landlock restricts the port. */
const TCP: typeof SOMETIMES = [
  [
    'socket',
    41,
    198,
    { argument: 0, equals: AF_INET },
    { argument: 1, mask: 0xf, equals: SOCK_STREAM },
    { argument: 2, mask: ~IPPROTO_TCP, equals: 0 },
  ],
  ['connect', 42, 203],
];

/**
 * @param programDescriptor the descriptor that the process may become a program from
 * @param withTcp whether it may connect to a port of this machine
 */
export function allowedCalls(
  architecture: 'x64' | 'arm64',
  { programDescriptor, withTcp }: { programDescriptor: number; withTcp: boolean },
): AllowedCall[] {
  const column = architecture === 'x64' ? 1 : 2;
  const always = ALWAYS.trim()
    .split(/\s{2,}/)
    .map((call) => call.split(' ')[column])
    .filter((number) => number !== '-')
    .map((number) => ({ number: Number(number) }));
  const start: Condition[] = [
    { argument: 0, equals: programDescriptor },
    { argument: 4, equals: AT_EMPTY_PATH },
  ];
  const sometimes: typeof SOMETIMES = [
    ...SOMETIMES,
    ['execveat', 322, 281, ...start],
    ...(withTcp ? TCP : []),
  ];
  return [
    ...always,
    ...sometimes.flatMap(([, x64, arm64, ...where]) => {
      const number = architecture === 'x64' ? x64 : arm64;
      return number === undefined ? [] : [{ number, where }];
    }),
  ];
}
