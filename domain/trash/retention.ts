import { TRASH_DAYS } from '../limits.ts';

const DAY_MS = 86_400_000;

/** Why a file must not be deleted. Who said so is in the audit log. */
export interface FileHold {
  reason: string;
  /** ISO 8601. */
  since: string;
}

/** Where a number of days is set; null if nowhere, so that the usual one applies. */
export type RetentionSource = 'account' | 'folder' | null;
export const RETENTION_SOURCES = ['account', 'folder'] as const;

/** What account and folders say of the files in a place. */
export interface RetentionRule {
  /** Days after which a file moves to the trash; null: never. */
  days: number | null;
  daysOf: RetentionSource;
  /** Days in the trash. */
  trashDays: number;
}

/** The settings of an account, or of a folder: 0 days mean never, null says nothing. */
export interface RetentionSettings {
  retentionDays: number | null;
  trashDays: number | null;
}

/** @param folders the folder of a file and those above it, the nearest first */
export function retentionRule(
  account: RetentionSettings,
  folders: readonly RetentionSettings[],
): RetentionRule {
  const folderDays = folders.find(({ retentionDays }) => retentionDays !== null)?.retentionDays ?? null;
  const days = folderDays ?? account.retentionDays;
  const trashDays = folders.find((folder) => folder.trashDays !== null)?.trashDays ?? account.trashDays;
  return {
    days: days || null,
    daysOf: folderDays !== null ? 'folder' : account.retentionDays !== null ? 'account' : null,
    trashDays: trashDays ?? TRASH_DAYS,
  };
}

interface Retained {
  createdAt: Date;
  retainedFrom?: Date | null | undefined;
}

/** When a live file moves to the trash; null: never. A restore begins its time anew. */
export function trashDue({ createdAt, retainedFrom }: Retained, { days }: RetentionRule): Date | null {
  return days === null ? null : daysAfter(retainedFrom ?? createdAt, days);
}

export function daysAfter(from: Date, days: number): Date {
  return new Date(from.getTime() + days * DAY_MS);
}

interface Trashed {
  deletedAt: Date;
  purgeAt?: Date | null | undefined;
}

/** The time from which a deleted file can no longer be restored. */
export function goneAt({ deletedAt, purgeAt }: Trashed): Date {
  return purgeAt ?? daysAfter(deletedAt, TRASH_DAYS);
}
