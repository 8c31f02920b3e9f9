import type { ComponentName, FileComponents } from '../components.ts';
import type { FileOperation } from '../pipelines/pipeline.ts';
import type { UploadOptions } from '../uploads/upload-options.ts';
import { creditsForPages } from '../documents/page.ts';
import { componentsOf } from '../pipelines/index.ts';
import {
  totalCredits,
  type Charge,
  type FileOrigin,
  type UsageLevel,
  type UsageOperation,
} from '../operations.ts';

/** Shares of the monthly credits whose use is announced, in percent. */
const USAGE_THRESHOLDS = [80, 100] as const;

/**
 * The charges for accepted work on a file.
 *
 * @param names components to process; by default all components of the medium
 * @param origin how the file arrived
 */
export function chargesFor(
  mediaType: string,
  names?: readonly ComponentName[],
  origin: FileOrigin = 'upload',
): Charge[] {
  const processed = componentsOf(mediaType).filter(({ name }) => names?.includes(name) ?? true);
  const among = (name: ComponentName) => processed.some((each) => each.name === name);
  return processed
    .filter(({ credits, includedIn }) => credits > 0 && !includedIn?.some(among))
    .map(({ credits, operation = 'describe' }) => ({
      operation: operationOf(operation, origin),
      level: null,
      credits,
    }));
}

/** Credits to reserve when work on a file is accepted; parameters as `chargesFor`. */
export function creditsFor(mediaType: string, names?: readonly ComponentName[]): number {
  return totalCredits(chargesFor(mediaType, names));
}

/** The operation that work on a file is accounted as. */
export function operationOf(operation: FileOperation, origin: FileOrigin): UsageOperation {
  return operation === 'describe' ? DESCRIBE[origin] : operation;
}

const DESCRIBE = {
  upload: 'describe',
  session: 'batch_describe',
  analysis: 'analyze',
} as const satisfies Record<FileOrigin, UsageOperation>;

export function originOf({
  sessionId,
  options,
}: {
  sessionId?: string | null | undefined;
  options: Pick<UploadOptions, 'analysis'>;
}): FileOrigin {
  if (sessionId != null) return 'session';
  return options.analysis ? 'analysis' : 'upload';
}

/**
 * Whether the reservation of an ended run is spent or refunded: spent once every charged component is completed.
 * Components included in the credits of another one do not count.
 */
export function settlement(
  { mediaType, components }: FileComponents,
  charges: readonly Charge[],
): 'spend' | 'refund' {
  const charged = componentsOf(mediaType)
    .filter(
      ({ credits, operation = 'describe' }) =>
        credits > 0 && charges.some((charge) => fileOperationOf(charge) === operation),
    )
    .map(({ name }) => components[name]?.status);
  return charged.length > 0 && charged.every((status) => status === 'completed') ? 'spend' : 'refund';
}

/** The inverse of `operationOf`. */
function fileOperationOf({ operation }: Charge): FileOperation {
  return operation === 'extract' || operation === 'digitize' ? operation : 'describe';
}

/**
 * Components that were included in the credits of another, completed component but were not completed themselves: their
 * retry is already paid for if that run was.
 */
export function includedBefore(
  { mediaType, components }: FileComponents,
  names: readonly ComponentName[],
): ComponentName[] {
  const isCompleted = (name: ComponentName) => components[name]?.status === 'completed';
  return names.filter((name) => {
    const { includedIn = [] } = componentsOf(mediaType).find((each) => each.name === name) ?? {};
    const { status, cause } = components[name] ?? {};
    const missing = status === 'failed' || (status === 'skipped' && cause !== 'by_request');
    return missing && includedIn.some(isCompleted);
  });
}

/** Credits for reading a document beyond those of its acceptance, which has its first pages. */
export function creditsForMorePages(pages: number): number {
  const reading = componentsOf('document').find(({ name }) => name === 'text_extraction');
  return Math.max(0, creditsForPages(pages) - (reading?.credits ?? 0));
}

/** Credits of one operation that has levels. */
export const LEVEL_CREDITS: Readonly<Record<UsageLevel, number>> = {
  quick: 1,
  standard: 2,
  thorough: 4,
  critical: 4,
};

/** The reservation of one run of a file, made at acceptance. */
export function reservationId(fileId: string, generation: number): string {
  return `file/${fileId}/${generation}`;
}

/** Pages are counted after a run has begun; those beyond the first reservation get this additional one. */
export function pagesReservationId(fileId: string, generation: number): string {
  return `${reservationId(fileId, generation)}/pages`;
}

/** The extraction by a saved schema ends before its run does, so it has a reservation of its own. */
export function schemaReservationId(fileId: string, generation: number): string {
  return `${reservationId(fileId, generation)}/schema`;
}

/**
 * The reservations of a run at acceptance: one for its components, and a separate one for an extraction by a saved
 * schema.
 *
 * @param names components that run
 * @param due the components among them that are charged; the others may be paid for by an earlier run
 */
export function reservationsOf(
  { fileId, generation, mediaType, sessionId, options }: AcceptedRun,
  names: readonly ComponentName[],
  due = names,
): { reservationId: string; charges: Charge[] }[] {
  const bySchema = options.customSchemaId !== undefined && names.includes('extraction');
  return [
    {
      reservationId: reservationId(fileId, generation),
      charges: chargesFor(mediaType, due, originOf({ sessionId, options })),
    },
    ...(bySchema
      ? [{ reservationId: schemaReservationId(fileId, generation), charges: extractionCharges('standard') }]
      : []),
  ];
}

/** The run that reservations belong to. */
export interface AcceptedRun {
  fileId: string;
  generation: number;
  mediaType: string;
  sessionId?: string | null | undefined;
  options: Pick<UploadOptions, 'analysis' | 'customSchemaId'>;
}

/** The charges of an extraction by a schema. */
export function extractionCharges(level: UsageLevel): Charge[] {
  return [{ operation: 'extract', level, credits: LEVEL_CREDITS[level] }];
}

/** The ids of all reservations that a run may have opened. */
export function reservationIdsOf(fileId: string, generation: number): string[] {
  return [
    reservationId(fileId, generation),
    pagesReservationId(fileId, generation),
    schemaReservationId(fileId, generation),
  ];
}

/** The reservation of one extraction by a schema. */
export function extractionReservationId(extractionId: string): string {
  return `extraction/${extractionId}`;
}

/** The charges of an answer that a model writes. */
export function answerCharges(level: UsageLevel): Charge[] {
  return [{ operation: 'ask', level, credits: LEVEL_CREDITS[level] }];
}

/** The reservation of one answer. */
export function answerReservationId(answerId: string): string {
  return `answer/${answerId}`;
}

/** First day of the credit month of `now`, as `YYYY-MM-01` (UTC). */
export function creditMonth(now: Date): string {
  return `${now.toISOString().slice(0, 7)}-01`;
}

/** The time at which the credits of the next month become available. */
export function creditReset(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
}

/** Seconds until the credits of the next month become available. */
export function secondsToCreditReset(now: Date): number {
  return Math.max(1, Math.ceil((creditReset(now).getTime() - now.getTime()) / 1000));
}

/**
 * The thresholds at or below a use of credits.
 *
 * @param limit credits of the month, not unlimited
 */
export function thresholdsReached(limit: number, used: number): number[] {
  return limit === 0 ? [] : USAGE_THRESHOLDS.filter((threshold) => used * 100 >= limit * threshold);
}
