import { auditStack } from '../../support/audit-stack.ts';
import { own } from './stack.ts';

/** After all other tests of this folder. */
auditStack(own);
