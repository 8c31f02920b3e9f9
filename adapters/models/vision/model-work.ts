import type { LaidOutElement } from 'darkroom-reader/document';
import type { JsonSchema } from '../../../domain/structured-extraction/json-schema.ts';
import type { ReadPage } from '../../../domain/structured-extraction/read-page.ts';
import type { Found } from '../../../engines/local-extraction/extract-locally.ts';
import type { Checked } from '../../../engines/text-work/answer-check.ts';

/** Options of a model call, with its tenant. */
export interface ModelCall {
  tenantId: string;
  signal: AbortSignal;
}

/** Work that models run in threads, since texts and schemas come from tenants, see engines/text-work. */
export interface ModelWork {
  extractLocally(given: { pages: readonly ReadPage[]; schema: JsonSchema }, call: ModelCall): Promise<Found>;
  checkAnswer(given: { answer: unknown; schema: JsonSchema }, call: ModelCall): Promise<Checked<unknown>>;
  layoutProblems(
    given: { elements: readonly LaidOutElement[]; lines: readonly { text: string }[] },
    call: ModelCall,
  ): Promise<string[]>;
}
