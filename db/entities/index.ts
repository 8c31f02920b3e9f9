import { ApiKey } from './api-key.ts';
import { CreditBalance } from './credit-balance.ts';
import { CreditEntry } from './credit-entry.ts';
import { FileDescription } from './file-description.ts';
import { FileTimeline } from './file-timeline.ts';
import { FileVariant } from './file-variant.ts';
import { Membership } from './membership.ts';
import { ReconcilerCursor } from './reconciler-cursor.ts';
import { StoredFile } from './stored-file.ts';
import { Tenant } from './tenant.ts';
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
  FileTimeline,
  CreditEntry,
  CreditBalance,
  ReconcilerCursor,
  UploadSession,
  UploadSessionItem,
];
