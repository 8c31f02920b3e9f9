import { z } from 'zod';
import { CONTENT_CATEGORIES } from '../../../domain/content-categories.ts';
import { SLUG } from '../../../domain/folders/slug.ts';
import { MAX_PROJECT_DESCRIPTION_LENGTH, MAX_SLUG_LENGTH } from '../../../domain/limits.ts';
import { optional } from '../../../domain/schemas/absent.ts';
import { folderName } from '../../../domain/schemas/folder-name.ts';
import { flag, page } from '../../../domain/schemas/query.ts';
import { text } from '../../../domain/schemas/text.ts';
import { count, idParam, timestamp } from '../fields.ts';

export const projectParams = z.object({ project_id: idParam('Id of a project') });

export const projectAnswer = z
  .object({
    id: z.uuid().meta({ description: 'Id of the project' }),
    name: z.string(),
    slug: z.string(),
    description: z.string().nullable().meta({ description: 'Free text; null if there is none' }),
    root_folder_id: z.uuid(),
    default_content_category: z.enum(CONTENT_CATEGORIES).nullable(),
    default_schema_id: z.uuid().nullable(),
    archived_at: timestamp.nullable(),
  })
  .meta({ id: 'Project' });

export const projectList = z
  .object({
    items: z.array(projectAnswer),
    total_count: count,
    limit: count,
    offset: count,
    has_more: z.boolean(),
  })
  .meta({ id: 'ProjectList' });

export const projectListQuery = z.object({
  archived: flag.optional().meta({ description: 'Only archived projects, or only the others' }),
  ...page(100, 20),
});

const slug = z
  .string()
  .max(MAX_SLUG_LENGTH, `at most ${MAX_SLUG_LENGTH} characters`)
  .regex(SLUG, 'must be lower-case letters and digits, with single hyphens between them');
const description = text(MAX_PROJECT_DESCRIPTION_LENGTH)
  .nullish()
  .meta({ description: 'Free text; null or empty: none' });
const defaults = {
  default_content_category: z.enum(CONTENT_CATEGORIES).nullish(),
  default_schema_id: z.guid().nullish(),
};

export const createProjectBody = z.strictObject({
  name: folderName.meta({ description: 'Also the name of its root folder' }),
  slug: optional(slug).meta({ description: 'Made from the name when absent' }),
  description,
  ...defaults,
});

export const changeProjectBody = z
  .strictObject({
    name: optional(folderName).meta({ description: 'Also renames its root folder' }),
    slug: optional(slug),
    description,
    ...defaults,
    archived: optional(z.boolean()).meta({
      description: 'True: the project takes no more files or folders; false: it takes them again',
    }),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), {
    message: 'send at least one field',
  })
  .meta({ override: { minProperties: 1 } });
