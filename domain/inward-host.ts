/** Names that no public server resolves, with the parent domains that are reserved for private networks. */
const INWARD_NAME = /^[^.]+$|\.(localhost|local|internal|svc)$/;
const ADDRESS = /^\[.*\]$|^\d+\.\d+\.\d+\.\d+$/;

/**
 * Whether the `Host` of a request is an address, or a name that only exists in a private network. A page whose own name was
 * made to resolve to an inward address (DNS rebinding) sends that public name.
 */
export function isInwardHost(host: string | undefined): boolean {
  const name = URL.parse(`http://${host ?? ''}`)?.hostname.replace(/\.$/, '') ?? '';
  return ADDRESS.test(name) || INWARD_NAME.test(name);
}
