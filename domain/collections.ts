/** The vector collection of image embeddings; its name carries model and dimension. */
export const IMAGE_COLLECTION = { collection: 'image-local-v1-512', dimension: 512 } as const;
