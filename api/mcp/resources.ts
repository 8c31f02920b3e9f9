import type { ResourceTemplateType as ListedTemplate } from '@modelcontextprotocol/server';
import type { ProtectedRoute } from '../http/route.ts';
import { operationOf, type Arguments } from './call-operation.ts';

/**
 * A kind of resource that clients read by URI: the answers of an operation, with its path parameters in the
 * URI.
 */
export interface ResourceKind {
  name: 'page' | 'page image' | 'image';
  title: string;
  uriTemplate: string;
  mimeType?: string;
  route: ProtectedRoute;
}

export const RESOURCES: readonly ResourceKind[] = [
  {
    name: 'page',
    title: 'Page of a document',
    uriTemplate: 'darkroom://files/{file_id}/pages/{page_number}',
    mimeType: 'text/markdown',
    route: operationOf('getDigitizedPage'),
  },
  {
    name: 'page image',
    title: 'Picture of a page of a document',
    uriTemplate: 'darkroom://files/{file_id}/pages/{page_number}/image',
    mimeType: 'image/jpeg',
    route: operationOf('getPageImage'),
  },
  {
    name: 'image',
    title: 'Image in one size',
    uriTemplate: 'darkroom://files/{file_id}/images/{variant_type}',
    route: operationOf('getFileVariant'),
  },
];

/** The URI of a page of a document. */
export function pageUri(fileId: string, page: number): string {
  return `darkroom://files/${fileId}/pages/${page}`;
}

/** The resource template of a kind, as listed to clients. */
export function listedTemplate({ name, title, uriTemplate, mimeType, route }: ResourceKind): ListedTemplate {
  return {
    name,
    title,
    uriTemplate,
    description: route.summary,
    ...(mimeType !== undefined && { mimeType }),
  };
}

/** The kind of a URI and its path parameters; undefined for a foreign URI. */
export function parseUri(uri: string): { kind: ResourceKind; params: Arguments } | undefined {
  for (const kind of RESOURCES) {
    const names = Array.from(kind.uriTemplate.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
    const pattern = new RegExp(`^${kind.uriTemplate.replaceAll(/\{\w+\}/g, '([\\w-]+)')}$`);
    const values = pattern.exec(uri)?.slice(1);
    if (values) return { kind, params: Object.fromEntries(names.map((name, at) => [name, values[at]])) };
  }
  return undefined;
}

/** The text of a page from the answer of its operation. */
export function pageText(page: unknown): string {
  return (page as { elements: { content: string }[] }).elements.map(({ content }) => content).join('\n\n');
}
