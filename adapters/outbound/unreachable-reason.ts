/**
 * Why a foreign server could not be reached, prefixed by a colon; empty if no reason is known that is safe to
 * show.
 */
export function unreachableReason(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | null)?.code ?? '';
  if (code.startsWith('ENOTFOUND') || code.startsWith('EAI_')) return ': the host name does not resolve';
  if (code === 'ECONNREFUSED') return ': it refuses connections';
  if (code.startsWith('ERR_TLS') || code.includes('CERT')) return ': its certificate is not valid';
  return code.startsWith('HPE_') ? ': its answer is not HTTP' : '';
}
