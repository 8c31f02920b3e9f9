import type { z } from 'zod';
import type { SchemaExtraction } from '../../../db/entities/structured-extraction/schema-extraction.ts';
import type { Citations } from '../../../domain/structured-extraction/extraction.ts';
import type { TokenUsage } from '../../../domain/token-usage.ts';
import type { extractAnswer, extractionAnswer, startedExtraction, usage } from './schema.ts';

function extractionPath(id: string): string {
  return `/api/v2/extractions/${id}`;
}

/** The answer to a request for an extraction: its result, or where to poll for it. */
export function presentExtracted(
  extraction: SchemaExtraction,
): z.input<typeof extractAnswer> | z.input<typeof startedExtraction> {
  const { id, status } = extraction;
  if (status !== 'completed')
    return { extraction_id: id, status: 'processing', poll_url: extractionPath(id) };
  // A completed one has everything.
  return { extraction_id: id, ...presentResult(extraction) } as z.input<typeof extractAnswer>;
}

/** An extraction as it stands. */
export function presentExtraction(extraction: SchemaExtraction): z.input<typeof extractionAnswer> {
  const { id, status, source, error } = extraction;
  return {
    extraction_id: id,
    status,
    source,
    file_id: extraction.fileId ?? null,
    schema_id: extraction.schemaId ?? null,
    schema_version: extraction.schemaVersion ?? null,
    analysis_level: extraction.level,
    ...presentResult(extraction),
    error: error ? { code: error.code, message: error.message } : null,
    created_at: extraction.createdAt.toISOString(),
    completed_at: extraction.completedAt?.toISOString() ?? null,
  };
}

function presentResult({ data, processingMs, provider, model, usage, citations }: SchemaExtraction) {
  return {
    extracted_data: data ?? null,
    processing_time_ms: processingMs ?? null,
    provider: provider ?? null,
    model: model ?? null,
    usage: usage ? presentUsage(usage) : null,
    citations: citations ? presentCitations(citations) : null,
  };
}

function presentUsage({ inputTokens, outputTokens, thinkingTokens }: TokenUsage): z.input<typeof usage> {
  return { input_tokens: inputTokens, output_tokens: outputTokens, thinking_tokens: thinkingTokens };
}

function presentCitations(citations: Citations) {
  return Object.fromEntries(
    Object.entries(citations).map(([pointer, { text, boundingBox, page, confidence }]) => [
      pointer,
      { text, bounding_box: boundingBox, page, confidence },
    ]),
  );
}
