import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** The statuses of a file in a response. Times in milliseconds since 1970. */
export interface Snapshot {
  fileId: string;
  askedAt: number;
  answeredAt: number;
  /** Status by component. */
  statuses: Record<string, string>;
}

/** A file in a response of the API. */
type AnsweredFile = { id: string } & Record<string, unknown>;

const ONE_FILE = /^\/files\/[0-9a-f-]{36}$/;
const LIST = /^\/files(\?|$)/;
const COMPONENT_STATUS = /^(?!primary_)(?<component>.+)_status$/;

/** Appends the statuses in a response to the file at DARKROOM_SNAPSHOTS, for the tests that run last. */
export function recordSnapshots(
  path: string,
  askedAt: number,
  { status, body }: { status: number; body: AnsweredFile & { items: AnsweredFile[] } },
): void {
  const target = process.env['DARKROOM_SNAPSHOTS'];
  if (!target || status !== 200) return;
  const files = ONE_FILE.test(path) ? [body] : LIST.test(path) ? body.items : [];
  const answeredAt = Date.now();
  const lines = files.map((file) => `${JSON.stringify(snapshotOf(file, askedAt, answeredAt))}\n`);
  if (lines.length > 0) appendFileSync(target, lines.join(''));
}

/** All snapshots of this test run, oldest first. */
export function readSnapshots(): Snapshot[] {
  const source = process.env['DARKROOM_SNAPSHOTS'];
  if (!source || !existsSync(source)) return [];
  return readFileSync(source, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Snapshot);
}

/** The snapshot of one response, with the times of request and response. */
export function snapshotOf(file: AnsweredFile, askedAt: number, answeredAt: number): Snapshot {
  const statuses = Object.entries(file).flatMap(([name, value]) => {
    const component = COMPONENT_STATUS.exec(name)?.groups?.['component'];
    return component ? [[component, String(value)]] : [];
  });
  return { fileId: file.id, askedAt, answeredAt, statuses: Object.fromEntries(statuses) };
}
