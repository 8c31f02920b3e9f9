import { BlockList, isIP } from 'node:net';

const PRIVATE = new BlockList();
for (const [address, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  PRIVATE.addSubnet(address, bits);
}
PRIVATE.addAddress('::1', 'ipv6');
PRIVATE.addSubnet('fc00::', 7, 'ipv6');

/** Whether a host is this machine or in a private network, judged by its name: a name without a dot is a container's. */
export function isPrivateHost(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  const version = isIP(bare);
  if (version === 0) return !bare.includes('.') || bare.endsWith('.localhost') || bare.endsWith('.internal');
  return PRIVATE.check(bare, version === 6 ? 'ipv6' : 'ipv4');
}
