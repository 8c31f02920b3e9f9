import { testAlone } from './smoke.ts';
import { LAB } from './table.ts';

testAlone(LAB);
