import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';

/** The proxies whose `X-Forwarded-For` is believed. */
export interface TrustedProxies {
  has(address: string): boolean;
}

/** @param networks addresses or CIDR blocks; throws a TypeError for anything else */
export function trustProxies(networks: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (isIP(address) === 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) {
      throw new TypeError(`"${network}" is not an address or CIDR block`);
    }
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return { has: (address) => isIP(address) !== 0 && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4') };
}

/**
 * The address of the client. Every proxy appends the address that it was called from, and clients can send any beginning:
 * read from the right, the first address that is no trusted proxy is the client's.
 */
export function clientAddress(request: IncomingMessage, proxies: TrustedProxies): string {
  let address = plainAddress(request.socket.remoteAddress ?? '');
  const forwarded = [request.headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  for (const hop of forwarded.toReversed()) {
    const next = plainAddress(hop.trim());
    if (!proxies.has(address) || isIP(next) === 0) break;
    address = next;
  }
  return address;
}

/** An IPv4 address that arrived at an IPv6 socket, as IPv4. */
function plainAddress(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}
