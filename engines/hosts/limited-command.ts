/** Limits that the kernel enforces on a process and on each of its children. */
export interface KernelLimits {
  /** Largest file that it may write. */
  fileBytes: number;
  addressSpaceBytes?: number;
  /** At this processor time, it gets SIGXCPU, which can be told from the SIGKILL of a machine that is out of memory. */
  cpuSeconds?: number;
}

/**
 * The command that runs a program with low priority, within limits and without core dumps, and needs no shell. Outside
 * Linux, which has `prlimit` (util-linux), it only lowers the priority.
 *
 * @returns a command and its arguments, as `spawn` takes them
 */
export function limitedCommand(
  { fileBytes, addressSpaceBytes, cpuSeconds }: KernelLimits,
  program: readonly string[],
): [command: string, args: string[]] {
  const limits = [
    '--core=0',
    `--fsize=${fileBytes}`,
    ...(addressSpaceBytes === undefined ? [] : [`--as=${addressSpaceBytes}`]),
    // The soft limit alone.
    ...(cpuSeconds === undefined ? [] : [`--cpu=${Math.ceil(cpuSeconds)}:`]),
  ];
  const limited = process.platform === 'linux' ? ['prlimit', ...limits] : [];
  return ['nice', ['-n', '5', ...limited, ...program]];
}
