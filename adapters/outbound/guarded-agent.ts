import dns, { type LookupAddress } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AddressGuard } from './address-guard.ts';

type Opened = (error: Error | null, stream: Duplex) => void;

/** All addresses of a name. */
export type ResolveName = (name: string) => Promise<LookupAddress[]>;

/** As this machine resolves names. */
export const resolveName: ResolveName = (name) =>
  new Promise((resolve, reject) => {
    dns.lookup(name, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });

/**
 * An agent that checks every connection: a literal address before use, a name by all addresses that it resolves to. It
 * connects to the checked addresses, so a later change of the name has no effect. Callers decide about redirects.
 */
export function createGuardedAgent(
  secure: boolean,
  guard: AddressGuard,
  options: https.AgentOptions,
  resolve = resolveName,
): http.Agent {
  const agent = new (secure ? https : http).Agent(options);
  const connect = agent.createConnection.bind(agent);
  const lookup = guardedLookup(guard, secure, resolve);
  agent.createConnection = (target: http.ClientRequestArgs, opened?: Opened) => {
    const host = (target.host ?? '').replace(/^\[(.*)\]$/, '$1');
    // Literal addresses are not resolved.
    const refused = isIP(host) === 0 ? undefined : guard.refuse(host, secure);
    if (refused) {
      // A thrown error would end the process if the request had waited for a socket.
      if (opened) process.nextTick(opened, refused);
      return undefined;
    }
    return connect({ ...target, lookup }, opened);
  };
  return agent;
}

function guardedLookup(guard: AddressGuard, secure: boolean, resolve: ResolveName): LookupFunction {
  return (hostname, options, found) => {
    const use = (addresses: LookupAddress[]): void => {
      for (const { address } of addresses) {
        const refused = guard.refuse(address, secure);
        if (refused) return found(refused, []);
      }
      if (options.all) return found(null, addresses);
      const [first] = addresses;
      return found(null, first?.address ?? '', first?.family);
    };
    resolve(hostname).then(use, (error: Error) => found(error, []));
  };
}
