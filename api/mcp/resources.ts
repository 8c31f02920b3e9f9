import type { ResourceTemplateType as ListedTemplate } from '@modelcontextprotocol/server';
import type { EntityManager } from '@mikro-orm/postgresql';
import { ObjectTooLarge } from '../../adapters/object-store/object-store.ts';
import { AppError } from '../../domain/app-error.ts';
import type { VariantType } from '../../domain/image-analysis.ts';
import { findFile } from '../../services/files/find-file.ts';
import { findVariants } from '../../services/images/read-image.ts';
import type { ApiDeps } from '../deps.ts';
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

/** Base64 of it, a third longer, goes through memory and into one message. */
const MAX_PICTURE_BYTES = 4 * 1024 * 1024;

export interface Picture {
  base64: string;
  mimeType: string;
}

/**
 * The bytes that `getFileVariant` redirects to, for a caller whom it has redirected. They are read from the store itself,
 * because the URL is for clients.
 *
 * @throws AppError NOT_FOUND, VARIANT_NOT_READY, FILE_TOO_LARGE; ObjectStoreUnavailable
 */
export async function readPicture(
  { em, objects }: { em: EntityManager } & Pick<ApiDeps, 'objects'>,
  tenantId: string,
  { file_id: fileId, variant_type: type }: Arguments,
  signal: AbortSignal,
): Promise<Picture> {
  const file = await findFile(em, tenantId, String(fileId));
  const stored = type === 'original' ? file : (await findVariants(em, [file], type as VariantType))[0];
  if (!stored) throw new AppError('VARIANT_NOT_READY', `there is no ${String(type)} of this file`);
  try {
    const bytes = await objects.read(stored.objectKey, { maxBytes: MAX_PICTURE_BYTES, signal });
    return { base64: bytes.toString('base64'), mimeType: stored.contentType };
  } catch (error) {
    if (!(error instanceof ObjectTooLarge)) throw error;
    throw new AppError('FILE_TOO_LARGE', 'this picture has more than 4 MB; take a smaller variant');
  }
}
