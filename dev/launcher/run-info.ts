import { readJson } from '../processes/json-file.ts';
import type { ProcessName } from '../processes/process-plan.ts';
import { StackError } from '../processes/stack-error.ts';

/** Credentials of one of the tenants that every stack has. */
export interface Credentials {
  api_key: string;
  email: string;
  password: string;
}
export type Tenants = Record<'free' | 'starter' | 'professional' | 'enterprise', Credentials>;

/** The content of `run.json` in the home folder, which exists while a stack runs. */
export interface RunInfo {
  /** Including `/api/v2`. */
  api_url: string;
  /** Of the default tenant, the enterprise one. */
  api_key: string;
  tenants: Tenants;
  temporal_address: string;
  temporal_ui_url: string;
  s3_endpoint: string;
  pids: Partial<Record<ProcessName, number>>;
}

/** Reads the credentials that the seed wrote. */
export function readTenants(credentialsFile: string): Tenants {
  const tenants = readJson(credentialsFile) as Tenants | undefined;
  if (tenants === undefined)
    throw new StackError(`The credentials of the tenants are missing from ${credentialsFile}.`);
  return tenants;
}
