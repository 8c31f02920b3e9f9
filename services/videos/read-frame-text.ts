import { VideoFrame } from '../../db/entities/videos/video-frame.ts';
import { textOfFrames } from '../../domain/videos/key-frames.ts';
import { MAX_STREAMED_BYTES } from '../../domain/limits.ts';
import { recogniseImage, type ReadTextDeps } from '../images/read-text.ts';
import { checkTarget, findTarget, type FileTarget } from '../processing/file-target.ts';
import { recordStep } from '../processing/record-step.ts';
import { listFrames } from './render-key-frames.ts';
import { FILE_WORKFLOWS } from '../../temporal/contract/process-file.ts';

/**
 * Recognises the text in each key frame of a video and stores the combined text with the file. Each finished
 * frame is recorded, so a later attempt resumes with the next one.
 *
 * @throws FileGone, UploadSessionPaused, UploadSessionCancelled, ObjectNotFound, and the errors of the
 *   decoder and the recogniser
 */
export async function readFrameText(
  { em, objects, ...recognition }: ReadTextDeps,
  target: FileTarget,
  signal: AbortSignal,
): Promise<void> {
  const { fileId, tenantId } = target;
  await findTarget(em, target);
  const work = { tenantId, label: FILE_WORKFLOWS.of(fileId), signal };
  for (const { frameNumber, objectKey } of await listFrames(em, fileId, { visibleText: null })) {
    if (!objectKey) continue;
    await checkTarget(em, target);
    const image = await objects.read(objectKey, { maxBytes: MAX_STREAMED_BYTES, signal });
    const regions = await recogniseImage(recognition, image, () => Promise.resolve(image), work);
    const visibleText = regions.map(({ text }) => text).join('\n');
    await recordStep(em, target, {
      save: async (tx) =>
        void (await tx.nativeUpdate(
          VideoFrame,
          { fileId, frameNumber },
          { visibleText, updatedAt: new Date() },
        )),
    });
  }
  const visibleText = textOfFrames(await listFrames(em, fileId));
  await recordStep(em, target, { changes: () => ({ visibleText }) });
}
