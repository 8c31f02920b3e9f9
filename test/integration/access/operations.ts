import { randomUUID } from 'node:crypto';
import type { Json } from '../../support/api.ts';

/** An operation of an OpenAPI document. */
export interface DocumentedOperation {
  id: string;
  method: string;
  /** Parameters as `{name}`. */
  path: string;
  multipart: boolean;
  hasBody: boolean;
}

export function readOperations(document: Json): DocumentedOperation[] {
  return Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, { operationId, requestBody }]) => ({
      id: operationId,
      method: method.toUpperCase(),
      path,
      multipart: requestBody?.content['multipart/form-data'] !== undefined,
      hasBody: method !== 'get' && method !== 'delete',
    })),
  );
}

/** The path with these values of its parameters; the others get the id of no resource. */
export function fillPath(path: string, values: Readonly<Record<string, string>> = {}): string {
  return path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
    const absent: Record<string, string> = {
      variant_type: 'original',
      page_number: '1',
      domain_name: 'mining',
    };
    return values[name] ?? absent[name] ?? randomUUID();
  });
}

/** A request that reaches the access rule of an operation, and rarely more. */
export function requestOf(operation: DocumentedOperation, body: unknown = {}): RequestInit {
  const { method, multipart, hasBody } = operation;
  if (!hasBody) return { method };
  if (multipart) {
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x' };
    return { method, headers, body: '--x--\r\n' };
  }
  return { method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}
