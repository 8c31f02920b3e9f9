import type { TLSConfig } from '@temporalio/client';
import type { TemporalConfig } from './config.ts';

export interface EngineConnectionOptions {
  address: string;
  tls?: TLSConfig;
  apiKey?: string;
}

/** Options of both kinds of connection, the client's and the worker's. */
export function connectionOptions(config: TemporalConfig): EngineConnectionOptions {
  const {
    TEMPORAL_API_KEY: apiKey,
    TEMPORAL_TLS_SERVER_NAME: serverNameOverride,
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: authority,
    TEMPORAL_TLS_CLIENT_CERT_PATH: cert,
    TEMPORAL_TLS_CLIENT_KEY_PATH: key,
  } = config;
  const wanted = [apiKey, serverNameOverride, authority, cert].some((value) => value !== undefined);
  const tls: TLSConfig = {
    ...(serverNameOverride !== undefined && { serverNameOverride }),
    ...(authority !== undefined && { serverRootCACertificate: Buffer.from(authority) }),
    ...(cert !== undefined &&
      key !== undefined && { clientCertPair: { crt: Buffer.from(cert), key: Buffer.from(key) } }),
  };
  return {
    address: config.TEMPORAL_ADDRESS,
    ...((config.TEMPORAL_TLS ?? wanted) && { tls }),
    ...(apiKey !== undefined && { apiKey }),
  };
}
