import sharp from 'sharp';
import { VARIANTS } from '../../domain/variants.ts';
import type { DemoApi, DemoFile, DemoTimeline } from './demo-api.ts';

/** The data of one sample in the report. */
export interface DemoResult {
  file: DemoFile;
  timeline: DemoTimeline;
  variants: { type: string; width: number; height: number; bytes: number }[];
}

const LABEL_WIDTH = 12;
const TEXT_WIDTH = 86;
const TEXT_LINES = 4;

/** Reads everything about a file that has ended from the API. */
export async function collectResult(api: DemoApi, id: string): Promise<DemoResult> {
  const [file, timeline] = await Promise.all([api.file(id), api.timeline(id)]);
  const types = file.variant_status === 'completed' ? VARIANTS.map(({ type }) => type) : [];
  const variants = types.map(async (type) => {
    const bytes = await api.variant(id, type);
    const { width, height } = await sharp(bytes).metadata();
    return { type, width, height, bytes: bytes.byteLength };
  });
  return { file, timeline, variants: await Promise.all(variants) };
}

/** The report of one sample. */
export function describeResult({ file, timeline, variants }: DemoResult): string {
  const original = file.dimensions && `${file.dimensions.width} × ${file.dimensions.height}`;
  const sizes = variants.map(
    ({ type, width, height, bytes }) =>
      `${type.padEnd(11)} ${`${width} × ${height}`.padStart(11)} ${kilobytes(bytes).padStart(9)}`,
  );
  const steps = timeline.runs.at(-1)?.steps ?? [];
  const times = steps.map(
    ({ step, duration_ms, attempt }) =>
      `${step} ${duration_ms ?? '?'} ms${attempt > 1 ? ` (attempt ${attempt})` : ''}`,
  );
  const rows: [string, string[]][] = [
    [
      'picture',
      [[original, file.format.toUpperCase(), kilobytes(file.size_bytes)].filter(Boolean).join(', ')],
    ],
    ['description', wrap(file.upload_description ?? timeline.explanation)],
    ['tags', wrap(file.tags.join(', '))],
    ...(file.visible_text ? [['text', clip(file.visible_text)] as [string, string[]]] : []),
    ['blur hash', [file.blur_hash ?? 'none']],
    ['variants', sizes],
    ['took', [times.join(', ')]],
  ];
  return [
    `${file.title}  ${file.primary_status}  ${file.id}`,
    ...rows.flatMap(([label, lines]) => block(label, lines)),
  ].join('\n');
}

/** Lines under one label. */
function block(label: string, lines: string[]): string[] {
  return lines.map((line, index) => `  ${(index === 0 ? label : '').padEnd(LABEL_WIDTH)} ${line}`);
}

function wrap(text: string): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last === '') lines[lines.length - 1] = word;
    else if (last.length + 1 + word.length <= TEXT_WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** The first lines of a text, each truncated to the width. */
function clip(text: string): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const shown = lines.slice(0, TEXT_LINES).map((line) => line.slice(0, TEXT_WIDTH));
  return lines.length > TEXT_LINES ? [...shown, '…'] : shown;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
