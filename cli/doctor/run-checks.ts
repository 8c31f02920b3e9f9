import { setTimeout as delay } from 'node:timers/promises';
import { ConfigError, readConfig } from '../../domain/schemas/read-config.ts';
import { explainError } from './explain-error.ts';
import type { Area, Env, Finding, Outcome, Report } from './finding.ts';

/** Runs the checks of all areas at once, each for `withinMs` at most. Never throws. */
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
      report.fail('time', `no end within ${withinMs / 1000} s`, area.remedy(new Error('ETIMEDOUT')));
    }
  } catch (error) {
    if (error instanceof ConfigError) report.warn('not checked', 'its settings are wrong', 'see Settings');
    else report.fail('reachable', explainError(error), area.remedy(error));
  } finally {
    abandoned = true;
    timer.abort();
  }
  return findings;
}

const MARKS: Record<Outcome, string> = { ok: '✓', warning: '!', failed: '✗' };

/** One row a finding, and its remedy in a row of its own. */
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
