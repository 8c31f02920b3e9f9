import type { z } from 'zod';
import { BlockList, isIP } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { ConfigError, readConfig } from '../../domain/schemas/read-config.ts';

/** `failed` is a missing requirement; `warning` is a note for the operator. */
type Outcome = 'ok' | 'warning' | 'failed';

export interface Finding {
  /** The server or the kind of settings. */
  area: string;
  check: string;
  outcome: Outcome;
  detail: string;
  /** The remedy, in one line; none for `ok`. */
  remedy?: string;
}

/** Collects the findings of one area. */
export interface Report {
  ok(check: string, detail: string): void;
  warn(check: string, detail: string, remedy: string): void;
  fail(check: string, detail: string, remedy: string): void;
}

/** The checks of one area. */
export interface Area {
  name: string;
  /** The settings that the area needs; it is skipped if one of them is invalid. */
  slices: readonly z.ZodObject[];
  /** Reports its findings; an exception counts as a failure. It is abandoned after the time limit. */
  check(env: Env, report: Report): Promise<void>;
  /** How to remedy an error that `check` threw. */
  remedy(error: unknown): string;
}

type Env = Record<string, string | undefined>;

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

/**
 * Whether a host is this machine or in a private network, without a DNS lookup: a name without a dot counts as the name
 * of a container.
 */
export function isPrivateHost(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  const version = isIP(bare);
  if (version === 0) return !bare.includes('.') || bare.endsWith('.localhost') || bare.endsWith('.internal');
  return PRIVATE.check(bare, version === 6 ? 'ipv6' : 'ipv4');
}

const MAX_CAUSES = 8;
const LONGEST = 160;

/** The innermost cause of an error in one line, for example the refused connection behind `fetch failed`. */
export function explainError(error: unknown): string {
  const reasons = chain(error).map(({ message, code }) => {
    const known = code !== undefined && message.includes(code);
    return message === '' || known || code === undefined ? message || (code ?? '') : `${message} (${code})`;
  });
  const reason = reasons.findLast((text) => text !== '') ?? String(error);
  const line = reason.replaceAll(/\s+/g, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}

/** Remedies by patterns in messages and codes of an error and its causes; the first match wins. */
const REMEDIES: readonly [RegExp, string][] = [
  [
    /ENOTFOUND|EAI_AGAIN|dns error|name resolution failed/i,
    'check the spelling of the host, and the DNS of this machine',
  ],
  [/ERR_TLS_CERT_ALTNAME|certificate's altnames/i, 'use the name in its certificate as host'],
  [/CERT_HAS_EXPIRED|certificate has expired/i, 'renew its certificate'],
  [/SELF_SIGNED|self.signed|UNABLE_TO_|unable to (get|verify)|unknown issuer/i, 'CA'],
  [
    /wrong version number|EPROTO|packet length too long|ERR_SSL/i,
    'one side speaks TLS, the other does not: check the scheme and the port',
  ],
  [/ECONNREFUSED|Connection refused/i, 'nothing listens there: start it, or correct host and port'],
  [
    /ECONNRESET|socket hang up|Connection dropped/i,
    'it closed the connection: check that it expects TLS and a client certificate as configured',
  ],
  [
    /ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|timeout|timed out|no answer|DEADLINE_EXCEEDED/i,
    'check firewalls, security groups, and that this machine is in its network',
  ],
];

/**
 * The remedy for a connection error.
 *
 * @param authority the setting for the CA of a certificate that no public authority has signed
 * @param otherwise the remedy if no pattern matches
 */
export function connectionRemedy(error: unknown, authority: string, otherwise: string): string {
  const text = chain(error)
    .map(({ message, code }) => `${code ?? ''} ${message}`)
    .join('\n');
  const remedy = REMEDIES.find(([pattern]) => pattern.test(text))?.[1];
  return remedy === 'CA' ? `name the authority of its certificate in ${authority}` : (remedy ?? otherwise);
}

/** The error followed by its causes; for an AggregateError, the first of its errors. */
function chain(error: unknown): { message: string; code?: string }[] {
  const links: { message: string; code?: string }[] = [];
  for (let each = error; each instanceof Error && links.length < MAX_CAUSES;) {
    const { code } = each as { code?: unknown };
    links.push({ message: each.message, ...(typeof code === 'string' && { code }) });
    each = each instanceof AggregateError ? (each.errors as unknown[])[0] : each.cause;
  }
  return links;
}

/** Stores reject presigned URLs at a skew of 15 minutes; events are misordered much sooner. */
const MOST_MS = 5_000;

/**
 * Compares a server's clock with ours.
 *
 * @param asked the time of the request in milliseconds; the response has just arrived
 */
export function reportClock(report: Report, theirs: Date, asked: number): void {
  const now = Date.now();
  // The server read its clock between request and response; a Date header has whole seconds.
  const ahead = Math.max(0, theirs.getTime() - now);
  const behind = Math.max(0, asked - theirs.getTime() - 1000);
  const seconds = Math.max(ahead, behind) / 1000;
  if (seconds * 1000 <= MOST_MS) report.ok('clock', 'agrees with ours');
  else {
    const direction = ahead > 0 ? 'ahead of' : 'behind';
    report.warn(
      'clock',
      `${Math.round(seconds)} s ${direction} ours`,
      'synchronise the clocks (NTP) of both machines',
    );
  }
}

/** Runs the checks of all areas concurrently, each for `withinMs` at most. Never throws. */
export async function runChecks(areas: readonly Area[], env: Env, withinMs: number): Promise<Finding[]> {
  const found = await Promise.all(areas.map((area) => checkArea(area, env, withinMs)));
  return found.flat();
}

async function checkArea(area: Area, env: Env, withinMs: number): Promise<Finding[]> {
  const findings: Finding[] = [];
  let abandoned = false;
  const note = (outcome: Outcome, check: string, detail: string, remedy?: string) => {
    if (abandoned) return;
    findings.push({ area: area.name, check, outcome, detail, ...(remedy !== undefined && { remedy }) });
  };
  const report: Report = {
    ok: (check, detail) => note('ok', check, detail),
    warn: (check, detail, remedy) => note('warning', check, detail, remedy),
    fail: (check, detail, remedy) => note('failed', check, detail, remedy),
  };
  const timer = new AbortController();
  const late = delay(withinMs, 'late' as const, { signal: timer.signal }).catch(() => undefined);
  try {
    readConfig(area.slices, env);
    if ((await Promise.race([area.check(env, report), late])) === 'late') {
      report.fail('time', `not finished within ${withinMs / 1000} s`, area.remedy(new Error('ETIMEDOUT')));
    }
  } catch (error) {
    if (error instanceof ConfigError) report.warn('not checked', 'its settings are invalid', 'see Settings');
    else report.fail('reachable', explainError(error), area.remedy(error));
  } finally {
    abandoned = true;
    timer.abort();
  }
  return findings;
}

const MARKS: Record<Outcome, string> = { ok: '✓', warning: '!', failed: '✗' };

/** One row per finding, followed by one for its remedy. */
export function findingsTable(findings: readonly Finding[]): string[] {
  const width = (column: 'area' | 'check') =>
    Math.max(0, ...findings.map((finding) => finding[column].length));
  const [areaWidth, checkWidth] = [width('area'), width('check')];
  const indent = ' '.repeat(areaWidth + checkWidth + 6);
  let previous = '';
  return findings.flatMap(({ area, check, outcome, detail, remedy }) => {
    const shown = area === previous ? '' : area;
    previous = area;
    const row = `${MARKS[outcome]} ${shown.padEnd(areaWidth)}  ${check.padEnd(checkWidth)}  ${detail}`;
    return remedy === undefined ? [row] : [row, `${indent}→ ${remedy}`];
  });
}

/** `Ready, with 1 warning.` or `Not ready: 2 failed, 1 warning.` */
export function summaryOf(findings: readonly Finding[]): string {
  const count = (outcome: Outcome) => findings.filter((finding) => finding.outcome === outcome).length;
  const [failed, warnings] = [count('failed'), count('warning')];
  const noted = `${warnings} warning${warnings === 1 ? '' : 's'}`;
  if (failed > 0) return `Not ready: ${failed} failed, ${noted}.`;
  return warnings > 0 ? `Ready, with ${noted}.` : 'Ready.';
}
