import { createEmbeddingsEndpoint, type EmbeddingsEndpoint } from '../embeddings-endpoint.ts';
import type { ImageEmbedding } from './image-embedding.ts';
import { readPixels, variantFormat } from '../read-variant.ts';

/** About 1 MB of variants. */
const IMAGES_A_CALL = 8;
const VARIANT = 'medium_750';

/**
 * A model for images and texts at an endpoint. The request is that of OpenAI's embeddings, with inputs as in Jina's:
 * `{ image }`, a data URL, or `{ text }`.
 */
export function createEndpointImageEmbedding(options: EmbeddingsEndpoint): ImageEmbedding & {
  embedText: NonNullable<ImageEmbedding['embedText']>;
} {
  const { model, dimension } = options;
  const call = createEmbeddingsEndpoint(options);
  return {
    model,
    dimension,
    variant: VARIANT,
    isFast: false,
    async embed(images, { signal }) {
      const vectors: (number[] | null)[] = [];
      for (let start = 0; start < images.length; start += IMAGES_A_CALL) {
        const some = images.slice(start, start + IMAGES_A_CALL);
        // An endpoint refuses all images of a call for one that it cannot read.
        const readable = await Promise.all(some.map((image) => readPixels(image, VARIANT)));
        const inputs = some.filter((_, at) => readable[at]).map((image) => ({ image: dataUrl(image) }));
        const found = inputs.length > 0 ? await call(inputs, signal, harmlessImage) : [];
        vectors.push(...readable.map((pixels) => pixels && (found.shift() ?? null)));
      }
      return vectors;
    },
    async embedText(text, { signal }) {
      const [vector = []] = await call([{ text }], signal);
      return vector;
    },
    close: () => Promise.resolve(),
  };
}

async function harmlessImage(): Promise<object> {
  // Loaded here: few processes ask an endpoint about images.
  const { default: sharp } = await import('sharp');
  const grey = sharp({ create: { width: 224, height: 224, channels: 3, background: '#808080' } });
  return { image: dataUrl(await grey.jpeg().toBuffer()) };
}

function dataUrl(image: Uint8Array): string {
  return `data:image/${variantFormat(image)};base64,${Buffer.from(image).toString('base64')}`;
}
