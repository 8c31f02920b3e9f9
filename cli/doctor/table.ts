import type { Finding, Outcome } from './finding.ts';

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
