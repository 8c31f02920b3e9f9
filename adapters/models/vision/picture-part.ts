import type { ChatCompletionContentPartImage } from 'openai/resources/chat/completions';

/** A picture as a part of a message, inside the request: no endpoint fetches it from us. */
export function picturePart({
  bytes,
  contentType,
}: {
  bytes: Uint8Array;
  contentType: string;
}): ChatCompletionContentPartImage {
  const url = `data:${contentType};base64,${Buffer.from(bytes).toString('base64')}`;
  return { type: 'image_url', image_url: { url } };
}
