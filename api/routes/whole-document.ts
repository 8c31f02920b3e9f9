import { ROUTES } from './index.ts';
import { openApiDocument } from '../openapi/document.ts';

/**
 * The OpenAPI document of all operations. Building it takes much of a second, so each process builds it once.
 */
export const WHOLE_DOCUMENT = openApiDocument(ROUTES);
