import { credits, tenants } from './tenants.ts';
import { duplicates, folders, originals, terminalStates } from './files.ts';
import type { Invariant } from './invariant.ts';
import { objects } from './objects.ts';
import { openParts, sessions, uploadMemory } from './uploads.ts';
import { openWork } from './open-work.ts';
import { vectors } from './vectors.ts';

/** All conditions that must hold when the service is idle. */
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
