import { z } from 'zod';
import type { Project } from '../../db/entities/folders/project.ts';
import { SLUG } from '../../domain/folders/slug.ts';
import { MAX_PROJECT_DESCRIPTION_LENGTH, MAX_SLUG_LENGTH } from '../../domain/limits.ts';
import { optional, folderName, text } from '../../domain/schemas/text.ts';
import { flag, page } from '../../domain/schemas/query.ts';
import { idParam, pageOf, timestamp } from './fields.ts';
import { contentCategoryOfFile } from './enums.ts';

export const projectParams = z.object({ project_id: idParam('Id of a project') });

export const projectAnswer = z
  .object({
    id: z.uuid().describe('Id of the project'),
    name: z.string().describe('Name of the project, and of its root folder'),
    slug: z.string().describe('Short name for addresses, unique in the account'),
    description: z.string().nullable().describe('Free text; null if there is none'),
    root_folder_id: z.uuid().describe('Id of the root folder of the project'),
    default_content_category: contentCategoryOfFile
      .nullable()
      .describe('Content category of uploads into the project that name none; null: `general`'),
    default_schema_id: z
      .uuid()
      .nullable()
      .describe('Id of the saved schema of uploads into the project that name none; null: none'),
    archived_at: timestamp.nullable().describe('When the project was archived; null if it is not'),
  })
  .meta({ id: 'Project' });

export const projectList = z.object(pageOf(projectAnswer)).meta({ id: 'ProjectList' });

export const projectListQuery = z.object({
  archived: flag.optional().describe('Only archived projects, or only the others'),
  ...page(100, 20),
});

const slug = z
  .string()
  .max(MAX_SLUG_LENGTH, `at most ${MAX_SLUG_LENGTH} characters`)
  .regex(SLUG, 'must be lower-case letters and digits, with single hyphens between them');
const description = text(MAX_PROJECT_DESCRIPTION_LENGTH).nullish().describe('Free text; null or empty: none');
const defaults = {
  default_content_category: contentCategoryOfFile
    .nullish()
    .describe('Content category of uploads into the project that name none; null: `general`'),
  default_schema_id: z
    .guid()
    .nullish()
    .describe('Id of the saved schema of uploads into the project that name none; null: none'),
};

export const createProjectBody = z.strictObject({
  name: folderName.describe('Name of the project, and of its root folder'),
  slug: optional(slug).describe('Short name for addresses; by default made from the name'),
  description,
  ...defaults,
});

export const changeProjectBody = z
  .strictObject({
    name: optional(folderName).describe('Name of the project; its root folder is renamed as well'),
    slug: optional(slug).describe('Short name for addresses, unique in the account'),
    description,
    ...defaults,
    archived: optional(z.boolean()).describe(
      'True: the project takes no more files or folders; false: it takes them again',
    ),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), {
    message: 'send at least one field',
  })
  .meta({ override: { minProperties: 1 } });

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
