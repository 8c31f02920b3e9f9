import type { KeyValue } from '../document/element.ts';
import type { FlowElement } from '../flow/paginate.ts';
