/**
 * Keeps other processes of the same user from reading the memory and the environment of this one, which have keys, and the
 * kernel from dumping them. Only root can read them then: not even this process its own `/proc/self/fd`, so the metric
 * `process_open_fds` is missing. Does nothing where that is not possible.
 */
export async function hideMemory(): Promise<void> {
  if (process.platform !== 'linux') return;
  const koffi = await import('koffi').catch(() => undefined);
  const PR_SET_DUMPABLE = 4;
  koffi?.load(null).func('int prctl(int, long, long, long, long)')(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
