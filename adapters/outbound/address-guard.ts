import { BlockList, isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A client's address that this system refuses to connect to. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/** Decides which addresses may be connected to on behalf of a client. */
export interface AddressGuard {
  /** Whether any address may be reached without TLS. */
  readonly allowsPlain: boolean;
  /**
   * The reason why an address may not be connected to; undefined if it may.
   *
   * @param encrypted whether the connection uses TLS, which public addresses require
   */
  refuse(address: string, encrypted: boolean): AddressRefused | undefined;
  /**
   * The reason why no connection to the host of a URL can be allowed: an address that is refused, in any spelling, or a
   * name of this machine; undefined for all other names, whose addresses are checked when they are connected to.
   */
  refuseHost(url: URL): AddressRefused | undefined;
}

/**
 * Allows public addresses over TLS, and all addresses in the networks allowed by the operator.
 *
 * @param allowed addresses or CIDR blocks; anything else throws a TypeError
 * @param plainPublic whether public addresses may be reached without TLS as well
 */
export function createAddressGuard(
  allowed: readonly string[],
  { plainPublic = false }: { plainPublic?: boolean } = {},
): AddressGuard {
  const own = new BlockList();
  for (const network of allowed) {
    const [address = '', prefix] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (isIP(address) === 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) {
      throw new TypeError(`"${network}" is not an address or CIDR block`);
    }
    if (prefix === undefined) own.addAddress(address, family);
    else own.addSubnet(address, Number(prefix), family);
  }
  function refuse(address: string, encrypted: boolean): AddressRefused | undefined {
    const family = isIP(address);
    if (family === 0) return new AddressRefused(`"${address}" is not an address`);
    // Converts IPv4-mapped IPv6 to IPv4.
    const plain = ipaddr.process(address);
    const isOwn = own.check(plain.toString(), plain.kind());
    if (isOwn) return undefined;
    if (plain.range() !== 'unicast' || !isAllocated(plain) || INWARD.has(plain.toString()))
      return new AddressRefused(`${address} is not a public address`);
    return encrypted || plainPublic
      ? undefined
      : new AddressRefused(`${address} is public, which needs https`);
  }

  return {
    allowsPlain: plainPublic || allowed.length > 0,
    refuse,
    refuseHost({ hostname, protocol }) {
      // The parser of URLs has normalised every spelling of an address.
      const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
      const encrypted = protocol === 'https:';
      if (isIP(host) !== 0) return refuse(host, encrypted);
      if (!/(^|\.)localhost$/.test(host)) return undefined;
      const isAllowed = LOOPBACK.some((address) => !refuse(address, encrypted));
      return isAllowed ? undefined : new AddressRefused(`${host} is not a public address`);
    },
  };
}

const LOOPBACK = ['127.0.0.1', '::1'];
/** Lead inwards, although their ranges are public: Azure's virtual machines reach the agent of their host here. */
const INWARD = new Set(['168.63.129.16']);

/** The only block of IPv6 routed on the internet; others include legacy encodings of private IPv4 addresses. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

function isAllocated(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST);
}
