import { imageEmbeddingConfig } from '../../../adapters/models/image-embedding/config.ts';
import { createImageEmbedding } from '../../../adapters/models/image-embedding/create-image-embedding.ts';
import { onnxConfig, readModelSource } from '../../../engines/onnx/config.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import type { Area } from '../run-checks.ts';

/** Checks the files of a local model for images. Fetches nothing, and makes no call to an endpoint. */
export const imageModel: Area = {
  name: 'Image model',
  slices: [imageEmbeddingConfig, onnxConfig],
  async check(env, report) {
    const config = readConfig([imageEmbeddingConfig, onnxConfig], env);
    const { IMAGE_EMBEDDING: local, IMAGE_EMBEDDING_MODEL: remote } = config;
    if (local === undefined) {
      const embedding = await createImageEmbedding(config);
      const by = embedding.embedText ? 'what they show' : 'their words';
      const own = `${embedding.model}: images are compared by it and found by ${by}`;
      report.ok('model', remote ?? own);
      await embedding.close();
      return;
    }
    if (!('folder' in readModelSource(local))) {
      report.ok('model', `${local}, fetched by the first process that needs it`);
      return;
    }
    const embedding = await createImageEmbedding(config);
    report.ok('model', `${embedding.model}, ${embedding.dimension} dimensions`);
    await embedding.close();
  },
  remedy: () => 'name a readable folder of a CLIP or SigLIP model with its ONNX files in IMAGE_EMBEDDING',
};
