import { ROUTES } from './index.ts';
import { openApiDocument } from '../openapi/document.ts';

/** The document of all operations. Building it takes a good part of a second, so it is built once in a process. */
export const WHOLE_DOCUMENT = openApiDocument(ROUTES);
