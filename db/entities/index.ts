import { ApiKey } from './api-key.ts';
import { ClaimedObject } from './claimed-object.ts';
import { CreditBalance } from './credit-balance.ts';
import { CreditEntry } from './credit-entry.ts';
import { DeletionReceipt } from './deletion-receipt.ts';
import { FileDescription } from './file-description.ts';
import { FileRemoval } from './file-removal.ts';
import { FileTally } from './file-tally.ts';
import { FileTimeline } from './file-timeline.ts';
import { FileVariant } from './file-variant.ts';
import { IdempotencyKey } from './idempotency-key.ts';
import { Membership } from './membership.ts';
import { ReconcilerCursor } from './reconciler-cursor.ts';
import { StoredFile } from './stored-file.ts';
import { Tenant } from './tenant.ts';
import { UploadIntent } from './upload-intent.ts';
import { UploadPart } from './upload-part.ts';
import { UploadSession } from './upload-session.ts';
import { UploadSessionItem } from './upload-session-item.ts';
import { User } from './user.ts';

/** Every entity of the service, listed by hand: nothing is discovered from the file system. */
export const ENTITIES = [
  Tenant,
  User,
  Membership,
  ApiKey,
  StoredFile,
  FileVariant,
  FileDescription,
  FileTally,
  FileTimeline,
  CreditEntry,
  CreditBalance,
  ReconcilerCursor,
  ClaimedObject,
  UploadIntent,
  UploadPart,
  IdempotencyKey,
  UploadSession,
  UploadSessionItem,
  FileRemoval,
  DeletionReceipt,
];
