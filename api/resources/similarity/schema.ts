import { z } from 'zod';
import { integerIn } from '../../../domain/schemas/query.ts';
import { count, timestamp, url } from '../fields.ts';

export const similarQuery = z.object({
  limit: integerIn(1, 50).default(20),
});

export const similarAnswer = z
  .object({
    reference_image_id: z.uuid(),
    items: z.array(
      z.object({
        image_id: z.uuid(),
        title: z.string(),
        description: z.string().nullable(),
        relevance_score: z.number().min(0).max(1).meta({ description: '0–1, best first' }),
        vector_similarity: z.number().min(-1).max(1).meta({ description: 'Cosine of the two vectors, −1–1' }),
        thumbnail_url: url,
        medium_url: url,
        full_url: url,
        folder_id: z.uuid().nullable(),
        created_at: timestamp,
      }),
    ),
    total_count: count,
  })
  .meta({ id: 'SimilarImages' });
