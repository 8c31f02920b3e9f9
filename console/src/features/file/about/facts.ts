import type { FileDetail } from 'darkroom-client';
import {
  formatBytes,
  formatDateTime,
  formatDuration,
  formatNumber,
  formatLanguage,
} from '../../../lib/format.ts';
import { FILE_TEXTS } from '../texts.ts';

const { facts: NAMES } = FILE_TEXTS;
type Fact = readonly [name: string, value: string];

/** What is known about a file beside its content, in the order in which it is shown. */
export function factsOf(file: FileDetail): Fact[] {
  const facts: (Fact | false | null | undefined)[] = [
    [NAMES.filename, file.filename],
    [NAMES.type, file.content_type],
    [NAMES.size, formatBytes(file.size_bytes)],
    'dimensions' in file &&
      file.dimensions && [
        NAMES.dimensions,
        NAMES.pixels(formatNumber(file.dimensions.width), formatNumber(file.dimensions.height)),
      ],
    ...videoFacts(file),
    ...readFacts(file),
    'compliance_status' in file && [NAMES.compliance, NAMES.complianceStatus[file.compliance_status]],
    file.content_category !== 'general' && [NAMES.category, file.content_category.replaceAll('_', ' ')],
    file.content_created_at !== null && [NAMES.contentCreated, formatDateTime(file.content_created_at)],
    [NAMES.added, formatDateTime(file.created_at)],
    [NAMES.changed, formatDateTime(file.updated_at)],
    [NAMES.id, file.id],
  ];
  return facts.filter((fact): fact is Fact => Boolean(fact));
}

function videoFacts(file: FileDetail): Fact[] {
  if (!('video_codec' in file)) return [];
  const sound = file.audio_tracks?.map(({ codec, channels, language }) =>
    [codec, channels === null ? null : NAMES.channels(channels), language].filter(Boolean).join(', '),
  );
  const facts: [string, string | null | undefined][] = [
    [NAMES.duration, file.duration_seconds === null ? null : formatDuration(file.duration_seconds)],
    [NAMES.frameRate, file.frame_rate === null ? null : NAMES.framesPerSecond(formatNumber(file.frame_rate))],
    [NAMES.codec, file.video_codec],
    [NAMES.sound, sound?.join('; ')],
  ];
  return facts.flatMap(([name, value]) => (value ? [[name, value] as const] : []));
}

function readFacts(file: FileDetail): Fact[] {
  if (!('chunk_count' in file)) return [];
  const language = file.language && formatLanguage(file.language);
  const pages = 'page_count' in file ? file.page_count : null;
  const facts: [string, string | null | undefined][] = [
    [NAMES.pages, pages === null ? null : formatNumber(pages)],
    [NAMES.language, language],
    [NAMES.chunks, formatNumber(file.chunk_count ?? 0)],
  ];
  return facts.flatMap(([name, value]) => (value ? [[name, value] as const] : []));
}
