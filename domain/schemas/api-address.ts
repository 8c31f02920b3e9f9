import { z } from 'zod';

/** Listen address of the HTTP API, used by the API, the launcher, and commands that call an API on this machine. */
export const apiAddress = z.object({
  HOST: z.string().default('127.0.0.1').describe('address on which the API listens'),
  PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(8080)
    .describe('port on which the API listens; 0 for any free one'),
});

/** The origin under which this machine reaches a server with that listen address. */
export function originOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
