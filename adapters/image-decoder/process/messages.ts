import type { ImageErrorCode } from '../errors.ts';
import type { Margins } from '../../../domain/compliance/margins.ts';
import type { GreyPicture, GreySize } from '../grey-picture.ts';
import type { RenderedImage, RenderOptions } from '../render-image.ts';
import type { RenderedView, ViewSize } from '../render-view.ts';

/** Margins have nothing to choose. */
export type MarginOptions = Record<string, never>;

/** The tasks of a decoder for one image. */
export interface Tasks {
  render: { options: RenderOptions; result: RenderedImage };
  grey: { options: GreySize; result: GreyPicture };
  view: { options: ViewSize; result: RenderedView };
  margins: { options: MarginOptions; result: Margins };
}
export type TaskName = keyof Tasks;

/** Parent to child: one image; the next only after the reply. */
export type DecodeRequest = {
  [Name in TaskName]: { task: Name; options: Tasks[Name]['options']; label: string; original: Uint8Array };
}[TaskName];

/** Child to parent. `failed`: a failure not caused by the image. */
export type DecodeReply =
  | { kind: 'done'; result: Tasks[TaskName]['result'] }
  | { kind: 'refused'; code: ImageErrorCode; detail: string }
  | { kind: 'failed'; message: string };
