import { readJson } from '../processes/json-file.ts';
import type { ProcessName } from '../processes/process-plan.ts';
import { StackError } from '../processes/stack-error.ts';

/** How to sign in as one of the tenants that every stack has. */
export interface Credentials {
  api_key: string;
  email: string;
  password: string;
}
export type Tenants = Record<'free' | 'starter' | 'professional' | 'enterprise', Credentials>;

/** What `run.json` in the home folder holds while a stack runs: where everything is, for people and programs. */
export interface RunInfo {
  /** With `/api/v2`. */
  api_url: string;
  /** Of the default tenant, which is the enterprise one. */
  api_key: string;
  tenants: Tenants;
  temporal_address: string;
  temporal_ui_url: string;
  s3_endpoint: string;
  pids: Partial<Record<ProcessName, number>>;
}

/** The tenants' credentials that the seed wrote. */
export function readTenants(credentialsFile: string): Tenants {
  const tenants = readJson(credentialsFile) as Tenants | undefined;
  if (tenants === undefined)
    throw new StackError(`The credentials of the tenants are missing from ${credentialsFile}.`);
  return tenants;
}
