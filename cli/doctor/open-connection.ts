import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { TLSConfig } from '@temporalio/client';

const WITHIN_MS = 10_000;

/**
 * Opens a connection and closes it, because gRPC reports only that a deadline passed, not why. Host names, ports and
 * certificates are settled here.
 *
 * @param address `host:port`
 * @throws the error of Node's socket
 */
export async function openConnection(address: string, tls: TLSConfig | undefined): Promise<void> {
  const { hostname, port } = new URL(`tcp://${address}`);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const target = { host, port: Number(port === '' ? 7233 : port) };
  const { serverRootCACertificate: ca, clientCertPair, serverNameOverride: servername } = tls ?? {};
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = tls
    ? connectTls({
        ...target,
        ALPNProtocols: ['h2'],
        ...(ca && { ca: Buffer.from(ca) }),
        ...(servername !== undefined && { servername }),
        ...(clientCertPair && {
          cert: Buffer.from(clientCertPair.crt),
          key: Buffer.from(clientCertPair.key),
        }),
      })
    : connect(target);
  socket.once(tls ? 'secureConnect' : 'connect', resolve).once('error', reject);
  socket.setTimeout(WITHIN_MS, () => reject(new Error(`no answer within ${WITHIN_MS / 1000} s (ETIMEDOUT)`)));
  try {
    await promise;
  } finally {
    socket.destroy();
  }
}
