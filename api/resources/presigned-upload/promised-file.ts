import { cleanFilename } from '../../../domain/filename.ts';
import { invalidField } from '../../../domain/app-error.ts';
import { planUpload } from '../../../domain/uploads/upload-plan.ts';
import { declaredContent } from '../../../services/uploads/accepted-content.ts';
import type { PromisedFile } from '../../../services/uploads/direct/create-upload.ts';
import type { PresignBody, PrepareBody } from './schema.ts';

type Announced = PrepareBody['files'][number] | PresignBody;

/**
 * The announced properties of a file that its client will upload with one URL.
 *
 * @param pointer its location in the request
 * @throws AppError UNSUPPORTED_MEDIA, VALIDATION_FAILED
 */
export function promisedFile(file: Announced, pointer: string): PromisedFile {
  const plan = planUpload({ sizeBytes: file.size_bytes, mode: 'single_shot' });
  if ('problem' in plan) throw invalidField(`${pointer}/${plan.problem.field}`, plan.problem.message);
  const { contentType, mediaType } = declaredContent(file.content_type);
  return {
    filename: cleanFilename(file.filename),
    contentType,
    mediaType,
    sizeBytes: file.size_bytes,
    claimedSha256: null,
    title: null,
    tags: [],
    contentCategory: 'general',
    options: { autoDescribe: true, skipDuplicates: false },
  };
}
