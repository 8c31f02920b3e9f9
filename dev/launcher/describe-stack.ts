import { join } from 'node:path';
import type { Stack } from './stack.ts';

/** The summary of a running stack for the user. */
export function describeStack(stack: Stack): string {
  const { api_url, temporal_ui_url, s3_endpoint } = stack.runInfo;
  const rows = [
    ['API', api_url],
    ['API docs', `${api_url}/docs`],
    ['Temporal UI', temporal_ui_url],
    ['S3', s3_endpoint],
    ['Log in', `POST ${api_url}/auth/login`],
    ['Keys, passwords', join(stack.home, 'run.json')],
    ['Mails', stack.env['SMTP_URL'] ? 'sent through SMTP_URL' : join(stack.home, 'mails')],
    ['Logs', join(stack.home, 'logs')],
  ];
  const lines = rows.map(([what = '', where = '']) => `  ${what.padEnd(16)} ${where}`);
  return ['', 'Darkroom is ready.', ...lines, '', 'Ctrl-C stops everything and keeps the data.', ''].join(
    '\n',
  );
}
