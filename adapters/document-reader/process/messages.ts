import type { PageContent } from '../../../domain/documents/page.ts';
import type {
  DocumentFacts,
  DocumentSource,
  PagePicture,
  PageRaster,
  UnreadableReason,
} from '../document-reader.ts';
import type { QuarterTurns } from '../layout/turn-box.ts';

/** The tasks of a reader for one document. */
export interface Tasks {
  inspect: { input: Record<string, never>; result: DocumentFacts };
  readPages: { input: { profile: unknown; pageNumbers: readonly number[] }; result: PageContent[] };
  renderPage: { input: { pageNumber: number }; result: PageRaster };
  showPage: {
    input: { pageNumber: number; turns: QuarterTurns; maxDimension: number };
    result: PagePicture;
  };
}
export type TaskName = keyof Tasks;

/** Parent to child: one task; the next only after the reply. */
export type ReadRequest = {
  [Name in TaskName]: { task: Name; source: DocumentSource; input: Tasks[Name]['input'] };
}[TaskName];

/** Child to parent. `failed`: a failure not caused by the document. */
export type ReadReply =
  | { kind: 'done'; result: Tasks[TaskName]['result'] }
  | { kind: 'unreadable'; reason: UnreadableReason; message: string }
  | { kind: 'failed'; message: string };
