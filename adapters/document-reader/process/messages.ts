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
  /** Only opens it, for the task that follows: how long that may take depends on the pages. */
  open: { input: Record<string, never>; result: { pageCount: number } };
  inspect: { input: Record<string, never>; result: DocumentFacts };
  readPages: { input: { profile: unknown; pageNumbers: readonly number[] }; result: PageContent[] };
  renderPage: { input: { pageNumber: number }; result: PageRaster };
  showPage: {
    input: { pageNumber: number; turns: QuarterTurns; maxDimension: number };
    result: PagePicture;
  };
}
export type TaskName = keyof Tasks;

/** The file to be read: the child does not learn whose it is. */
export type OpenedFile = Pick<DocumentSource, 'path' | 'type'>;

/** Parent to child: one task; the next only after the reply. */
export type ReadRequest = {
  [Name in TaskName]: { task: Name; source: OpenedFile; input: Tasks[Name]['input'] };
}[TaskName];

/** Child to parent. `failed`: a failure not caused by the document. */
export type ReadReply =
  | { kind: 'done'; result: Tasks[TaskName]['result'] }
  | { kind: 'unreadable'; reason: UnreadableReason; message: string }
  | { kind: 'failed'; message: string };
