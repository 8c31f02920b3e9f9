import type { ResourceTemplateType as ListedTemplate } from '@modelcontextprotocol/server';
import type { ProtectedRoute } from '../http/route.ts';
import { operationOf, type Arguments } from './call-operation.ts';

/** Kind of things that clients read by their URI: the answers of an operation, whose path parameters are in the URI. */
export interface ResourceKind {
  name: 'page' | 'image';
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

/** A kind as clients see it. */
export function listedTemplate({ name, title, uriTemplate, mimeType, route }: ResourceKind): ListedTemplate {
  return {
    name,
    title,
    uriTemplate,
    description: route.summary,
    ...(mimeType !== undefined && { mimeType }),
  };
}

/** The kind of a URI, and the path parameters in it; undefined for a URI that is none of ours. */
export function parseUri(uri: string): { kind: ResourceKind; params: Arguments } | undefined {
  for (const kind of RESOURCES) {
    const names = Array.from(kind.uriTemplate.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
    const pattern = new RegExp(`^${kind.uriTemplate.replaceAll(/\{\w+\}/g, '([\\w-]+)')}$`);
    const values = pattern.exec(uri)?.slice(1);
    if (values) return { kind, params: Object.fromEntries(names.map((name, at) => [name, values[at]])) };
  }
  return undefined;
}

/** The text of a page, as its operation answers it. */
export function pageText(page: unknown): string {
  return (page as { elements: { content: string }[] }).elements.map(({ content }) => content).join('\n\n');
}
