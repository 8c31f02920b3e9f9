import type { TextWork } from '../../engines/text-work/text-work.ts';
import type { FastPathResult } from '../../domain/fast-path.ts';
import type { StepActivity } from '../../domain/pipelines/index.ts';
import { runFastPath, type FastPathOptions, type FastPathTarget } from '../processing/fast-path.ts';
import type { StepResult } from '../processing/record-step.ts';
import { chunkDocument } from './chunk-document.ts';
import type { ReadDocumentDeps } from './document-target.ts';
import { inspectDocument } from './inspect-document.ts';
import { planPages } from './plan-pages.ts';
import { readPages } from './read-pages.ts';
import type { StoreAttachmentsDeps } from './store-attachments.ts';

export interface MakeDocumentDeps extends ReadDocumentDeps, StoreAttachmentsDeps {
  text: TextWork;
  /** The provider that lays out no pages. */
  localProvider: string;
}

/**
 * The fast path of a document whose pages are one batch with text: it is inspected, read and divided into chunks at once.
 * Of a longer one, of scans, and of one with a page that cannot be read or that a model is to lay out, the pages are left to
 * the workflow that reads them. Embeddings and descriptions are left to the queues of models.
 *
 * @throws as runFastPath
 */
export function makeDocument(
  { em, localProvider, ...deps }: MakeDocumentDeps,
  target: FastPathTarget,
  options: FastPathOptions,
): Promise<FastPathResult> {
  const { signal, onLeft } = options;
  const byModel = target.visionProvider !== localProvider;

  const makers: Partial<Record<StepActivity, () => Promise<StepResult | undefined>>> = {
    async inspectDocument() {
      await inspectDocument({ em: em.fork(), ...deps }, target, signal);
      return {};
    },
    async digitizeDocument() {
      const { batches, total } = await planPages(em.fork(), target, 2);
      const [batch] = batches;
      if (batch?.work !== 'cpu' || batch.pages.length < total) return undefined;
      try {
        const failed = await readPages({ em: em.fork(), ...deps }, target, { ...batch, byModel }, signal);
        if (failed > 0) return undefined;
      } catch (error) {
        // The workflow finds the pages that cannot be read.
        onLeft('digitizeDocument', error);
        return undefined;
      }
      const { layoutsDue } = byModel ? await planPages(em.fork(), target, 1) : { layoutsDue: 0 };
      return layoutsDue > 0 ? undefined : {};
    },
    async chunkDocument() {
      await chunkDocument({ em: em.fork(), ...deps }, target, signal);
      return {};
    },
  };
  const steps = { make: async (step: StepActivity) => makers[step]?.(), discard: () => Promise.resolve() };
  return runFastPath(em, target, () => steps, options);
}
