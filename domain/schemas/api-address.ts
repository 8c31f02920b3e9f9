import { z } from 'zod';

/** Where the HTTP API listens: for the API itself, for the launcher, and for commands that ask an API on this machine. */
export const apiAddress = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
});

/** Where this machine reaches a server that listens on that address. */
export function originOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
