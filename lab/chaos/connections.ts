import { startConnectionProxy, type ConnectionProxy } from './connection-proxy.ts';
import type { Connection } from './plan-faults.ts';

/** The proxies through which the client connects to the API, and API and workers to their servers. */
export interface Connections {
  /** Settings that lead through proxies to the servers of the given ones. */
  connectApps: (env: Record<string, string>) => Promise<Record<string, string>>;
  /** The address of the API through a proxy. */
  connectClient(apiUrl: string): Promise<string>;
  interrupt(connection: Connection): void;
  restore(connection: Connection): void;
  close(): Promise<void>;
}

export function createConnections(): Connections {
  const proxies = new Map<Connection, ConnectionProxy>();

  /** The URL with the port of a proxy. */
  async function through(connection: Connection, url: string): Promise<URL> {
    const target = new URL(url);
    const proxy = await startConnectionProxy({ host: target.hostname, port: Number(target.port) });
    proxies.set(connection, proxy);
    target.port = String(proxy.port);
    return target;
  }

  return {
    async connectApps(env) {
      const { DATABASE_URL = '', S3_ENDPOINT = '', TEMPORAL_ADDRESS = '' } = env;
      const database = await through('database', DATABASE_URL);
      const { origin: store } = await through('store', S3_ENDPOINT);
      const engine = await through('engine', `tcp://${TEMPORAL_ADDRESS}`);
      return {
        ...env,
        DATABASE_URL: database.href,
        S3_ENDPOINT: store,
        S3_PUBLIC_ENDPOINT: store,
        TEMPORAL_ADDRESS: engine.host,
      };
    },
    connectClient: async (apiUrl) => (await through('client', apiUrl)).href,
    interrupt: (connection) => proxies.get(connection)?.interrupt(),
    restore: (connection) => proxies.get(connection)?.restore(),
    async close() {
      await Promise.all([...proxies.values()].map((proxy) => proxy.close()));
    },
  };
}
