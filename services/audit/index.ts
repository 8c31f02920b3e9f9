import { credits } from './credits.ts';
import { duplicates } from './duplicates.ts';
import { folders } from './folders.ts';
import type { Invariant } from './invariant.ts';
import { objects } from './objects.ts';
import { openParts } from './open-parts.ts';
import { openWork } from './open-work.ts';
import { originals } from './originals.ts';
import { sessions } from './upload-sessions.ts';
import { tenants } from './tenants.ts';
import { terminalStates } from './terminal-states.ts';
import { uploadMemory } from './upload-memory.ts';
import { vectors } from './vectors.ts';

/** Everything that must hold when the service is idle. */
export const INVARIANTS: readonly Invariant[] = [
  originals,
  objects,
  duplicates,
  sessions,
  terminalStates,
  credits,
  vectors,
  tenants,
  uploadMemory,
  openParts,
  openWork,
  folders,
];
