import type { z } from 'zod';
import type { Project } from '../../../db/entities/folders/project.ts';
import type { projectAnswer } from './schema.ts';

export function presentProject(project: Project): z.input<typeof projectAnswer> {
  return {
    id: project.id,
    name: project.name,
    slug: project.slug,
    description: project.description ?? null,
    root_folder_id: project.rootFolderId,
    default_content_category: project.defaultContentCategory ?? null,
    default_schema_id: project.defaultSchemaId ?? null,
    archived_at: project.archivedAt?.toISOString() ?? null,
  };
}
