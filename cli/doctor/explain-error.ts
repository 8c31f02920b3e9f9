const MAX_CAUSES = 8;
const LONGEST = 160;

/** The innermost reason of an error in one line, for example of `fetch failed` the refused connection. */
export function explainError(error: unknown): string {
  const reasons = chain(error).map(({ message, code }) => {
    const known = code !== undefined && message.includes(code);
    return message === '' || known || code === undefined ? message || (code ?? '') : `${message} (${code})`;
  });
  const reason = reasons.findLast((text) => text !== '') ?? String(error);
  const line = reason.replaceAll(/\s+/g, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}

/** Remedies by what the messages and codes of an error and its causes contain; the first that fits. */
const REMEDIES: readonly [RegExp, string][] = [
  [
    /ENOTFOUND|EAI_AGAIN|dns error|name resolution failed/i,
    'check the spelling of the host, and the DNS of this machine',
  ],
  [/ERR_TLS_CERT_ALTNAME|certificate's altnames/i, 'use the name in its certificate as host'],
  [/CERT_HAS_EXPIRED|certificate has expired/i, 'renew its certificate'],
  [/SELF_SIGNED|self.signed|UNABLE_TO_|unable to (get|verify)|unknown issuer/i, 'CA'],
  [
    /wrong version number|EPROTO|packet length too long|ERR_SSL/i,
    'one side speaks TLS, the other does not: check the scheme and the port',
  ],
  [/ECONNREFUSED|Connection refused/i, 'nothing listens there: start it, or correct host and port'],
  [
    /ECONNRESET|socket hang up|Connection dropped/i,
    'it closed the connection: check that it expects TLS and a client certificate as configured',
  ],
  [
    /ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|timeout|timed out|no answer|DEADLINE_EXCEEDED/i,
    'check firewalls, security groups, and that this machine is in its network',
  ],
];

/**
 * What to do about an error of a connection.
 *
 * @param authority where to name the CA of a server whose certificate no public authority has signed
 */
export function connectionRemedy(error: unknown, authority: string, otherwise: string): string {
  const text = chain(error)
    .map(({ message, code }) => `${code ?? ''} ${message}`)
    .join('\n');
  const remedy = REMEDIES.find(([pattern]) => pattern.test(text))?.[1];
  return remedy === 'CA' ? `name the authority of its certificate in ${authority}` : (remedy ?? otherwise);
}

/** The error and its causes, of an aggregate the first. */
function chain(error: unknown): { message: string; code?: string }[] {
  const links: { message: string; code?: string }[] = [];
  for (let each = error; each instanceof Error && links.length < MAX_CAUSES;) {
    const { code } = each as { code?: unknown };
    links.push({ message: each.message, ...(typeof code === 'string' && { code }) });
    each = each instanceof AggregateError ? (each.errors as unknown[])[0] : each.cause;
  }
  return links;
}
