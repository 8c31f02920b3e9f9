import type { Project } from '../../../db/entities/folders/project.ts';

export function presentProject(project: Project) {
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
