import { auditStack } from '../../support/audit-stack.ts';
import { own } from './stack.ts';

/** Runs after all other tests in this folder. */
auditStack(own);
