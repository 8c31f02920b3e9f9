import { auditStack } from '../../support/audit-stack.ts';
import { own } from './stack.ts';

/** Runs after all other tests of this folder. */
auditStack(own);
