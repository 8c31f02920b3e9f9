/** Processor time that reading a document may take. */
import { LIMITS, markdownBudgetMs } from 'darkroom-reader';
import type { DocumentType } from 'darkroom-reader/document';
import type { TaskBudget } from '../hosts/task-host.ts';

/** Size of a task: the document, and the number of pages that it reads. */
export interface ReadingSize {
  type: DocumentType;
  bytes: number;
  pages: number;
}

const MIB = 2 ** 20;
/** A page of text takes 10 ms to inspect, one full of drawings several times as much. */
const PAGE_MS = 30;
/** Minimum size of a real page; a document may reference one page ten thousand times. */
const LEAST_BYTES_A_PAGE = 512;

/** The XML of an office document with long tables unpacks to forty times its size, and takes 1.5 s per MiB. */
const archiveBudgetMs = (bytes: number): number => 1_500 * Math.min(20, (40 * bytes) / MIB);
const ARCHIVES: ReadonlySet<DocumentType> = new Set(['docx', 'xlsx', 'pptx', 'epub', 'odt', 'ods', 'odp']);

const paidPages = ({ bytes, pages }: Pick<ReadingSize, 'bytes' | 'pages'>): number =>
  Math.min(pages, bytes / LEAST_BYTES_A_PAGE);

/** Five seconds, one per MiB, a share per page that the bytes can hold, and the structure limit of the type. */
export function readingBudget({ type, bytes, pages }: ReadingSize): TaskBudget {
  const structure = type === 'md' ? markdownBudgetMs(bytes) : ARCHIVES.has(type) ? archiveBudgetMs(bytes) : 0;
  return { cpuMs: 5_000 + (1000 * bytes) / MIB + PAGE_MS * paidPages({ bytes, pages }) + structure };
}

/** All tasks of a document, in those of its inspection: to read its pages again with their layout, and to open it anew. */
const INSPECTIONS = 4;
/** To draw a page for a recogniser, a few more times for its language and for a model. */
const DRAWN_PAGE_MS = 3_000;
const DRAWN: ReadonlySet<DocumentType> = new Set(['pdf', 'tiff', 'docx', 'pptx', 'odt', 'odp']);

/** What all tasks of a run may use together, in milliseconds. @param size with all pages of the document */
export function totalBudgetMs(size: ReadingSize): number {
  return (
    INSPECTIONS * readingBudget(size).cpuMs + (DRAWN.has(size.type) ? DRAWN_PAGE_MS * paidPages(size) : 0)
  );
}

/** Runs that are remembered; those of a worker are far fewer at a time. */
const MOST_RUNS = 10_000;

/** What runs have used in this process: another worker, and this one after a restart, count by themselves. */
export function createRunCharges(total: (size: ReadingSize) => number) {
  const runs = new Map<string, { usedMs: number; pages: number }>();
  return {
    /** What is left of the total for a task; unlimited for a document that belongs to no run. */
    leftMs(run: string | undefined, size: Omit<ReadingSize, 'pages'>): number {
      if (run === undefined) return Infinity;
      const { usedMs, pages } = runs.get(run) ?? { usedMs: 0, pages: LIMITS.pages };
      return total({ ...size, pages }) - usedMs;
    },
    /** @param pages of the whole document, if they are known */
    charge(run: string | undefined, ms: number, pages?: number): void {
      if (run === undefined) return;
      const before = runs.get(run);
      runs.delete(run);
      runs.set(run, {
        usedMs: (before?.usedMs ?? 0) + ms,
        pages: pages ?? before?.pages ?? LIMITS.pages,
      });
      const [oldest] = runs.keys();
      if (runs.size > MOST_RUNS && oldest !== undefined) runs.delete(oldest);
    },
  };
}
