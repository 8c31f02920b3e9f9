import sharp from 'sharp';
import { VARIANTS } from '../../domain/image-analysis.ts';
import type {
  DemoApi,
  DemoDocument,
  DemoFile,
  DemoImage,
  DemoLink,
  DemoTimeline,
  DemoVideo,
} from './demo-api.ts';
import { TEXT_WIDTH, wrap } from './demo-answers.ts';

/** The data of one sample in the report. */
export interface DemoResult {
  file: DemoFile;
  timeline: DemoTimeline;
  variants: { type: string; width: number; height: number; bytes: number }[];
}

/** A label and the lines beside it. */
type Row = [label: string, lines: string[]];

const LABEL_WIDTH = 12;
const TEXT_LINES = 4;

/** Reads everything about a file that has ended from the API. */
export async function collectResult(api: DemoApi, id: string): Promise<DemoResult> {
  const [file, timeline] = await Promise.all([api.file(id), api.timeline(id)]);
  const types =
    file.media_type === 'image' && file.variant_status === 'completed'
      ? VARIANTS.map(({ type }) => type)
      : [];
  const variants = types.map(async (type) => {
    const bytes = await api.variant(id, type);
    const { width, height } = await sharp(bytes).metadata();
    return { type, width, height, bytes: bytes.byteLength };
  });
  return { file, timeline, variants: await Promise.all(variants) };
}

/** The report of one sample. */
export function describeResult({ file, timeline, variants }: DemoResult): string {
  const steps = timeline.runs.at(-1)?.steps ?? [];
  const times = steps.map(
    ({ step, duration_ms, attempt }) =>
      `${step} ${duration_ms ?? '?'} ms${attempt > 1 ? ` (attempt ${attempt})` : ''}`,
  );
  const description: Row = ['description', wrap(file.upload_description ?? timeline.explanation)];
  const rows: Row[] = [...ownRows(file, description, variants), ['took', [times.join(', ')]]];
  return [
    `${file.title}  ${file.primary_status}  ${file.id}`,
    ...rows.flatMap(([label, lines]) => block(label, lines)),
  ].join('\n');
}

function ownRows(file: DemoFile, description: Row, variants: DemoResult['variants']): Row[] {
  switch (file.media_type) {
    case 'image':
      return imageRows(file, description, variants);
    case 'document':
      return documentRows(file, description);
    case 'video':
      return videoRows(file, description);
    case 'link':
      return linkRows(file, description);
  }
}

function imageRows(file: DemoImage, description: Row, variants: DemoResult['variants']): Row[] {
  const original = file.dimensions && `${file.dimensions.width} × ${file.dimensions.height}`;
  const sizes = variants.map(
    ({ type, width, height, bytes }) =>
      `${type.padEnd(11)} ${`${width} × ${height}`.padStart(11)} ${kilobytes(bytes).padStart(9)}`,
  );
  return [
    ['image', [listed(original, file.format.toUpperCase(), kilobytes(file.size_bytes))]],
    description,
    ['tags', wrap(file.tags.join(', '))],
    ...textRow(file.visible_text),
    ['blur hash', [file.blur_hash ?? 'none']],
    ['variants', sizes],
  ];
}

function documentRows(file: DemoDocument, description: Row): Row[] {
  const pages = file.page_count !== null && `pages: ${file.page_count}`;
  const chunks = file.chunk_count !== null && `chunks: ${file.chunk_count}`;
  return [
    ['document', [listed(file.format.toUpperCase(), kilobytes(file.size_bytes), pages, chunks)]],
    description,
    ...textRow(file.extracted_text),
  ];
}

function videoRows(file: DemoVideo, description: Row): Row[] {
  const duration = file.duration_seconds !== null && `${file.duration_seconds.toFixed(1)} s`;
  const times = file.key_frames.map((frame) => `${frame.time_seconds.toFixed(1)} s`);
  return [
    ['video', [listed(file.resolution, file.video_codec, duration, kilobytes(file.size_bytes))]],
    description,
    ...(times.length > 0 ? [['key frames', [`at ${times.join(', ')}`]] satisfies Row] : []),
    ...textRow(file.visible_text),
  ];
}

function linkRows(file: DemoLink, description: Row): Row[] {
  const images = file.extracted_images_count > 0 && `images: ${file.extracted_images_count}`;
  return [
    ['link', [file.source_url, listed(file.site_name, file.language, images)]],
    description,
    ...textRow(file.text),
  ];
}

function textRow(text: string | null): Row[] {
  return text ? [['text', clip(text)]] : [];
}

function listed(...parts: (string | false | null)[]): string {
  return parts.filter(Boolean).join(', ');
}

/** Lines under one label. */
function block(label: string, lines: string[]): string[] {
  return lines.map((line, index) => `  ${(index === 0 ? label : '').padEnd(LABEL_WIDTH)} ${line}`);
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
