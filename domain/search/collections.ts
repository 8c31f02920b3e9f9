/** The vector collection of image embeddings; its name contains model and dimension. */
export const IMAGE_COLLECTION = {
  collection: 'image-local-v1-414',
  model: 'local-v1',
  dimension: 414,
} as const;
