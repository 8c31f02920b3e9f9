import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** A file with certificates or a key in PEM; the value is its content. */
const pemFile = z.string().transform((path, context) => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
});

/** Where the workflow engine is, and how to prove who we are. The names are those of Temporal's own tools. */
export const temporalConfig = z
  .object({
    TEMPORAL_ADDRESS: z.string().default('127.0.0.1:7233').describe('the workflow engine'),
    TEMPORAL_NAMESPACE: z.string().default('default').describe('its namespace'),
    HISTORY_NAMES: z.stringbool().optional().meta({
      description:
        '`off` keeps the names of files out of workflow histories, where operators may not read them',
      shownDefault: '`on`',
    }),
    TEMPORAL_API_KEY: z.string().min(1).optional().describe('API key of the engine; turns TLS on'),
    TEMPORAL_TLS: z.stringbool().optional().describe('`true` for TLS without an API key or a certificate'),
    TEMPORAL_TLS_SERVER_NAME: z
      .string()
      .min(1)
      .optional()
      .describe("name in the server's certificate, if it differs from the host of the address"),
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: pemFile
      .optional()
      .describe("file with the authority of the server's certificate, if not a public one"),
    TEMPORAL_TLS_CLIENT_CERT_PATH: pemFile
      .optional()
      .describe('file with a client certificate; turns TLS on'),
    TEMPORAL_TLS_CLIENT_KEY_PATH: pemFile.optional().describe('file with its key'),
  })
  .superRefine((config, context) => {
    const problem = (name: keyof typeof config, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message });
    const cert = config.TEMPORAL_TLS_CLIENT_CERT_PATH !== undefined;
    const key = config.TEMPORAL_TLS_CLIENT_KEY_PATH !== undefined;
    if (cert && !key) problem('TEMPORAL_TLS_CLIENT_KEY_PATH', 'required with TEMPORAL_TLS_CLIENT_CERT_PATH');
    if (key && !cert) problem('TEMPORAL_TLS_CLIENT_CERT_PATH', 'required with TEMPORAL_TLS_CLIENT_KEY_PATH');
    if (config.TEMPORAL_TLS === false && config.TEMPORAL_API_KEY !== undefined) {
      problem('TEMPORAL_TLS', 'must not be off: the API key would be sent in clear text');
    }
  });
export type TemporalConfig = z.output<typeof temporalConfig>;
